// SPDX-License-Identifier: Apache-2.0
// A process that holds llama.cpp with one model, as worker.cc does the others: `version`, `embedding LENGTH FILE` and
// `time TEXTS LENGTH FIRST CALLS`. Its package embeds one text after the other.
// Arguments: FOLDER_OF_ITS_PACKAGES MODEL IDS THREADS HIDDEN_SIZE
import {readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {createInterface} from "node:readline";
import {pathToFileURL} from "node:url";

const [packages, modelPath, idsPath, threads] = process.argv.slice(2);
const {getLlama} = await import(pathToFileURL(join(packages, "node_modules/node-llama-cpp/dist/index.js")));
const llama = await getLlama({gpu: false, build: "never", logLevel: "error", maxThreads: Number(threads)});
const model = await llama.loadModel({modelPath});
const context = await model.createEmbeddingContext({contextSize: 512, batchSize: 512, threads: Number(threads)});
const file = readFileSync(idsPath);
const ids = new Int32Array(file.buffer, file.byteOffset, file.length / 4);

// With the marks that the package would otherwise add.
function text(first, length) {
  const start = (first * length) % (ids.length - length + 1);
  const tokens = Array.from(ids.subarray(start, start + length));
  tokens[0] = model.tokens.bos;
  tokens[length - 1] = model.tokens.eos;
  return tokens;
}

async function answer([command, ...rest]) {
  if (command === "version") return `${llama.llamaCppRelease.release} (node-llama-cpp)`;
  if (command === "embedding") {
    const {vector} = await context.getEmbeddingFor(text(0, Number(rest[0])));
    writeFileSync(rest[1], Float32Array.from(vector));
    return "done";
  }
  const [texts, length, first, calls] = rest.map(Number);
  if (command !== "time") throw new Error(command);
  const start = process.hrtime.bigint();
  for (let call = first; call < first + calls; ++call) {
    for (let i = 0; i < texts; ++i) await context.getEmbeddingFor(text(call * texts + i, length));
  }
  return String(1e-9 * Number(process.hrtime.bigint() - start));
}

for await (const line of createInterface({input: process.stdin})) console.log(await answer(line.split(" ")));
process.exit(0);

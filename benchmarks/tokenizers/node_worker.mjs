// SPDX-License-Identifier: Apache-2.0
// The part of Hugging Face's tokenizers, in their Node package: node node_worker.mjs PACKAGES FOLDER SECONDS TEXTS.json...
// One thread; texts go in all at once, so that the way from JavaScript costs as little as it can.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

process.env.TOKENIZERS_PARALLELISM = 'false';
process.env.RAYON_NUM_THREADS = '1';
const [packages, folder, seconds, ...files] = process.argv.slice(2);
const { Tokenizer } = createRequire(path.resolve(packages, 'x.js'))('tokenizers');
const tokenizer = Tokenizer.fromFile(path.join(folder, 'tokenizer.json'));
for (const file of files) {
  const texts = JSON.parse(fs.readFileSync(file, 'utf8'));
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  let tokens = 0;
  let hash = 2166136261;
  for (const encoding of await tokenizer.encodeBatch(texts, { addSpecialTokens: false })) {
    for (const id of encoding.getIds()) {
      ++tokens;
      hash = Math.imul(hash ^ id, 16777619) >>> 0;
    }
  }
  let best = 0;
  for (const start = process.hrtime.bigint(); Number(process.hrtime.bigint() - start) / 1e9 < Number(seconds);) {
    const pass = process.hrtime.bigint();
    await tokenizer.encodeBatch(texts, { addSpecialTokens: false });
    best = Math.max(best, (bytes * 1e3) / Number(process.hrtime.bigint() - pass));
  }
  console.log(JSON.stringify({ engine: 'tokenizers', texts: file, speed: best, tokens, hash }));
}

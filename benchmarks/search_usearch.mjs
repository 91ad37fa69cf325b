#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Exact search by lffn_top_k beside USearch's, in turns; CPU time, one thread. Both must find the same vectors.
//
//     npm install --ignore-scripts --prefix build/usearch usearch@2.26.2 koffi@3.3.4
//     benchmarks/search_usearch.mjs build/usearch build/release/src/liblookupffn.so [THOUSANDS OF VECTORS [TURNS]]
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [packages, library, thousands = '300', turns = '9'] = process.argv.slice(2);
const need = createRequire(`${resolve(packages)}/`);
const koffi = need('koffi');
const { exactSearch, MetricKind } = need('usearch');

const size = 384;
const most = 10;
const count = 1000 * Number(thousands);

const fields = ['struct_size size_t', 'runtime void*', 'kind int32_t', 'measure int32_t', 'size int64_t', 'queries void*',
  'query_stride int64_t', 'n_queries int64_t', 'vectors void*', 'vector_stride int64_t', 'n_vectors int64_t',
  'query_scales void*', 'vector_scales void*', 'query_scale float', 'vector_scale float', 'vector_ids void*',
  'first_id int64_t', 'taking_part void*', 'candidates void*', 'candidate_offsets void*', 'n_candidates int64_t',
  'k int64_t', 'start_counts void*', 'start_ids void*', 'start_scores void*', 'ids void*', 'scores void*',
  'capacity int64_t', 'counts void*', 'cancel void*', 'progress void*', 'progress_user void*', 'num_threads int32_t',
  'reserved int32_t'].map((field) => field.split(' '));
const Args = koffi.struct('lffn_top_k_args', Object.fromEntries(fields));
const lookupffn = koffi.load(resolve(library));
const topK = lookupffn.func('lffn_top_k', 'int', [koffi.pointer(Args)]);
const lastError = lookupffn.func('lffn_last_error', 'str', []);

function ours(kind, measure, queries, vectors, bytes) {
  const n = queries.byteLength / bytes;
  const ids = new BigInt64Array(n * most);
  const args = Object.fromEntries(fields.map(([name, type]) => [name, type === 'void*' ? null : 0]));
  Object.assign(args, { struct_size: koffi.sizeof(Args), kind, measure, size, queries, n_queries: n, vectors,
    n_vectors: vectors.byteLength / bytes, k: most, ids, scores: new Float32Array(n * most), capacity: n * most,
    num_threads: 1 });
  if (topK(args) !== 0) throw new Error(lastError());
  return ids;
}

function drawn(make, numbers) {
  let state = 1;
  const values = make(numbers);
  for (let i = 0; i < numbers; ++i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[i] = values instanceof Float32Array ? state / 2 ** 31 - 1 : state >>> 24;
  }
  return values;
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
function timed(action) {
  const before = process.cpuUsage();
  const found = action();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1e3, found];
}

// Equal scores may come in another order.
function same(a, b) {
  let equal = 0;
  for (let q = 0; q < a.length; q += most) {
    const there = new Set(Array.from(b.slice(q, q + most), Number));
    for (const id of a.slice(q, q + most)) equal += there.has(Number(id));
  }
  return equal / a.length;
}

const ways = [
  { name: 'float32', kind: 1, measure: 0, bytes: 4 * size, make: (n) => new Float32Array(n), numbers: size, metric: MetricKind.IP },
  { name: 'int8', kind: 3, measure: 1, bytes: size, make: (n) => new Int8Array(n), numbers: size, metric: MetricKind.Cos },
];
console.log(`${count} vectors of ${size} numbers, k ${most}, one thread, medians of ${turns} turns, CPU ms`);
console.log('            queries  lffn_top_k   USearch   ratio    same');
for (const { name, kind, measure, bytes, make, numbers, metric } of ways) {
  const vectors = drawn(make, count * numbers);
  for (const n of [1, 8, 64]) {
    const queries = vectors.slice(1000 % count * numbers, (1000 % count + n) * numbers);
    const rounds = { ours: [], theirs: [], ratio: [] };
    let equal = 1;
    for (let turn = 0; turn < (n > 8 ? Math.max(1, turns / 3) : Number(turns)); ++turn) {
      const [mine, found] = timed(() => ours(kind, measure, queries, vectors, bytes));
      const [other, matches] = timed(() => exactSearch(vectors, queries, numbers, most, metric, 1));
      equal = Math.min(equal, same(found, matches.keys));
      rounds.ours.push(mine);
      rounds.theirs.push(other);
      rounds.ratio.push(other / mine);
    }
    const cells = [median(rounds.ours).toFixed(2), median(rounds.theirs).toFixed(2), median(rounds.ratio).toFixed(2), equal.toFixed(3)];
    console.log(name.padEnd(12) + String(n).padStart(7) + cells.map((cell, i) => cell.padStart([12, 10, 8, 8][i])).join(''));
    if (equal < 0.99) throw new Error('they find different vectors');
  }
}

// SPDX-License-Identifier: Apache-2.0
// Vectors in pgvector (PostgreSQL in one process) and DuckDB: both must find the ten that an exact search finds.
import { readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { DuckDBInstance } from '@duckdb/node-api';

const folder = process.argv[2];
const most = 10;
const mostQueries = 50;

function read(name) {
  const lines = readFileSync(`${folder}/${name}`, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line).embedding);
}
const documents = { float32: read('float32.documents'), int8: read('int8.documents'), bits: read('bits.documents') };
const queries = { float32: read('float32.queries'), int8: read('int8.queries'), bits: read('bits.queries') };
const size = documents.float32[0].length;

// The first number of eight is the highest bit, as in PostgreSQL's and DuckDB's texts of bits.
const bitText = (bytes) => bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('').slice(0, size);
const dot = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0);
const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
const different = (a, b) => a.reduce((sum, byte, i) => sum + bitText([byte ^ b[i]]).replaceAll('0', '').length, 0);

// Two lists of scores that are the same but for rounding have the same vectors, or others that are as near.
function check(what, found, scores) {
  const expected = scores.toSorted((a, b) => b - a).slice(0, most);
  const worst = Math.max(...expected.map((score, i) => Math.abs(score - scores[found[i]])));
  if (found.length !== expected.length || !(worst <= 2e-6)) throw new Error(`${what} finds others: ${found}`);
}

async function store(name, run, load, kinds) {
  await load();
  for (const { what, sql, parameter, score } of kinds) {
    for (let q = 0; q < Math.min(mostQueries, queries.float32.length); ++q) {
      check(`${name}: ${what}`, await run(sql, parameter(q)), score(q));
    }
    console.log(`${name}: ${what}: the same as an exact search`);
  }
}

const numbers = (list) => `[${list.join(',')}]`;
const scoresOf = (kind, measure) => (q) => documents[kind].map((one) => measure(queries[kind][q], one));

const postgres = await PGlite.create({ extensions: { vector } });
await store('pgvector', async (sql, value) => (await postgres.query(sql, [value])).rows.map((row) => row.id), async () => {
  await postgres.exec(`CREATE EXTENSION vector; CREATE TABLE t(id int PRIMARY KEY, e vector(${size}), b bit(${size}))`);
  for (let i = 0; i < documents.float32.length; ++i) {
    await postgres.query('INSERT INTO t VALUES ($1, $2, $3)', [i, numbers(documents.float32[i]), bitText(documents.bits[i])]);
  }
  const { rows } = await postgres.query('SELECT count(*) FROM t WHERE b = binary_quantize(e)::bit(' + size + ')');
  if (Number(rows[0].count) !== documents.bits.length) throw new Error('binary_quantize makes other bits');
  console.log('pgvector: binary_quantize makes the same bits');
}, [
  { what: '<#>, negative inner product', sql: `SELECT id FROM t ORDER BY e <#> $1 LIMIT ${most}`,
    parameter: (q) => numbers(queries.float32[q]), score: scoresOf('float32', dot) },
  { what: '<=>, cosine distance', sql: `SELECT id FROM t ORDER BY e <=> $1 LIMIT ${most}`,
    parameter: (q) => numbers(queries.float32[q]), score: scoresOf('float32', cosine) },
  { what: '<~>, bits', sql: `SELECT id FROM t ORDER BY b <~> $1::bit(${size}) LIMIT ${most}`,
    parameter: (q) => bitText(queries.bits[q]), score: scoresOf('bits', (a, b) => -different(a, b)) },
]);

const duck = await (await DuckDBInstance.create(':memory:')).connect();
async function ask(sql) {
  return (await duck.runAndReadAll(sql)).getRows().map(([id]) => id);
}
await store('DuckDB', (sql, value) => ask(sql.replace('?', value)), async () => {
  await duck.run(`CREATE TABLE t(id INTEGER, e FLOAT[${size}], i TINYINT[${size}], b BIT)`);
  for (let i = 0; i < documents.float32.length; ++i) {
    await duck.run(`INSERT INTO t VALUES (${i}, ${numbers(documents.float32[i])}, ${numbers(documents.int8[i])}, ` +
      `'${bitText(documents.bits[i])}')`);
  }
}, [
  { what: 'array_inner_product', sql: `SELECT id FROM t ORDER BY array_inner_product(e, ?::FLOAT[${size}]) DESC LIMIT ${most}`,
    parameter: (q) => numbers(queries.float32[q]), score: scoresOf('float32', dot) },
  { what: 'array_cosine_similarity of int8, cast', parameter: (q) => numbers(queries.int8[q]), score: scoresOf('int8', cosine),
    sql: `SELECT id FROM t ORDER BY array_cosine_similarity(i::FLOAT[${size}], ?::FLOAT[${size}]) DESC LIMIT ${most}` },
  { what: 'bit_count(xor), bits', sql: `SELECT id FROM t ORDER BY bit_count(xor(b, '?'::BIT)) LIMIT ${most}`,
    parameter: (q) => bitText(queries.bits[q]), score: scoresOf('bits', (a, b) => -different(a, b)) },
]);

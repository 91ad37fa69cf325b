-- SPDX-License-Identifier: Apache-2.0
-- Indexes 5,000 sentences and searches them. In the repository's folder, after a build:
--   sqlite3 :memory: -cmd '.load build/release/bindings/sqlite/lookupffn-sqlite' '.read examples/sqlite/search.sql'
.read examples/sqlite/sentences.sql
.bail on
SELECT lffn_model('examples/models/all-minilm-l6-v2-fast');
CREATE TABLE vectors(id INTEGER PRIMARY KEY, embedding BLOB);
INSERT INTO vectors SELECT id, lffn_embed(text, 'document', 'int8') FROM sentences;
SELECT printf('%.2f  %s', similarity, text)
  FROM lffn_search('vectors', 'embedding', 'Somebody mends a vessel by the sea.', 3)
  JOIN sentences USING (id) ORDER BY similarity DESC;

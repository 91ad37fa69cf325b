// SPDX-License-Identifier: Apache-2.0
// Search inside SQLite from Node.js: search.cjs EXTENSION MODEL. Node.js has SQLite from version 22 on; before, a package
// with the same interface.
function sqlite() {
  try {
    return require('node:sqlite');
  } catch {
    return require('@photostructure/sqlite');
  }
}

const [extension, model] = process.argv.slice(2);
const database = new (sqlite().DatabaseSync)(':memory:', { allowExtension: true });
database.enableLoadExtension(true);
database.loadExtension(extension);
database.enableLoadExtension(false);
console.log(database.prepare('SELECT lffn_model(?) AS told').get(model).told);
database.exec('CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT)');
const insert = database.prepare('INSERT INTO notes(text) VALUES (?)');
for (const text of ['cat eats', 'the river', 'song']) insert.run(text);
database.exec("CREATE TABLE vectors AS SELECT id, lffn_embed(text, 'document', 'int8') AS embedding FROM notes");
const found = database.prepare(
  "SELECT text FROM lffn_search('vectors', 'embedding', ?, 1) JOIN notes USING (id)");
console.log(found.get('the river').text);
try {
  database.prepare("SELECT lffn_model('/none')").get();
} catch (error) {
  console.log(error.message);
}

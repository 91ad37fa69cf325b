// SPDX-License-Identifier: Apache-2.0
// The extension through Microsoft.Data.Sqlite.
using System;
using Microsoft.Data.Sqlite;
using var db = new SqliteConnection("Data Source=:memory:");
db.Open();
db.EnableExtensions();
db.LoadExtension(args[0]);
object? One(string sql, params object[] values) {
  using var command = db.CreateCommand();
  command.CommandText = sql;
  for (int i = 0; i < values.Length; ++i) command.Parameters.AddWithValue("$" + i, values[i]);
  return command.ExecuteScalar();
}
Console.WriteLine(One("SELECT lffn_model($0)", args[1]));
One("CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT)");
One("INSERT INTO t(text) VALUES ('cat eats'), ('the river'), ('song')");
One("CREATE TABLE v AS SELECT id, lffn_embed(text, 'document') AS e FROM t");
Console.WriteLine(One("SELECT text FROM lffn_search('v', 'e', $0, 1) JOIN t USING (id)", "the river"));
try { One("SELECT lffn_model('/none')"); } catch (SqliteException e) { Console.WriteLine(e.Message); }

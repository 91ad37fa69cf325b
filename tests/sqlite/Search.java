// SPDX-License-Identifier: Apache-2.0
// The extension through JDBC, whose driver brings an SQLite of its own or takes the system's.
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

class Search {
  static Connection connect(String extension, String model) throws SQLException {
    java.util.Properties properties = new java.util.Properties();
    properties.setProperty("enable_load_extension", "true");
    Connection db = DriverManager.getConnection("jdbc:sqlite::memory:", properties);
    try (var load = db.prepareStatement("SELECT load_extension(?)")) {
      load.setString(1, extension);
      load.execute();
    }
    try (var load = db.prepareStatement("SELECT lffn_model(?)")) {
      load.setString(1, model);
      load.execute();
    }
    return db;
  }

  static String search(String extension, String model) throws SQLException {
    try (Connection db = connect(extension, model); Statement statement = db.createStatement()) {
      statement.executeUpdate("CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT)");
      statement.executeUpdate("INSERT INTO t(text) VALUES ('cat eats'), ('the river'), ('song')");
      statement.executeUpdate("CREATE TABLE v AS SELECT id, lffn_embed(text, 'document') AS e FROM t");
      try (ResultSet row = statement.executeQuery(
          "SELECT text FROM lffn_search('v', 'e', 'the river', 1) JOIN t USING (id)")) {
        return row.next() ? row.getString(1) : "nothing";
      }
    }
  }

  static void expect(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  public static void main(String[] args) throws Exception {
    expect(search(args[0], args[1]).equals("the river"), "the nearest text");
    String[] found = new String[4];
    Thread[] threads = new Thread[found.length];
    for (int i = 0; i < threads.length; ++i) {
      int mine = i;
      threads[i] = new Thread(() -> {
        try {
          found[mine] = search(args[0], args[1]);
        } catch (SQLException error) {
          found[mine] = error.getMessage();
        }
      });
      threads[i].start();
    }
    for (int i = 0; i < threads.length; ++i) {
      threads[i].join();
      expect(found[i].equals("the river"), found[i]);
    }
    try (Connection db = connect(args[0], args[1]); Statement statement = db.createStatement()) {
      statement.executeQuery("SELECT lffn_model('/none')");
      expect(false, "a model that is not there");
    } catch (SQLException error) {
      expect(error.getMessage().contains("/none"), error.getMessage());
    }
    System.out.println("ok");
  }
}

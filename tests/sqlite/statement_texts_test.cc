// SPDX-License-Identifier: Apache-2.0
// Which texts a statement will embed, read from its SQL.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace lffn::sql {
std::string texts_of_statement(std::string_view sql);

namespace {

TEST(StatementTexts, AreSelectedAsTheStatementDoes) {
  const struct {
    const char* statement;
    const char* texts;
  } kCases[] = {
      {"INSERT INTO v SELECT id, lffn_embed(text) FROM t", "SELECT text FROM t"},
      {"insert or ignore into v(rowid, e) select id, Lffn_Embed ( t.text , 'document', 'int8' ) from t where id > 3;",
       "SELECT t.text from t where id > 3"},
      {"REPLACE INTO v SELECT id, lffn_embed(title || ' ' || coalesce(body, '')) FROM t ORDER BY id LIMIT 5",
       "SELECT title || ' ' || coalesce(body, '') FROM t ORDER BY id LIMIT 5"},
      {"CREATE TABLE v AS SELECT id, vec_int8(lffn_embed(\"a)b\", NULL, 'int8')) AS e FROM [t (1)] -- all)\n",
       "SELECT \"a)b\" FROM [t (1)]"},
      {"SELECT lffn_similarity(lffn_embed(text), ?1) FROM t JOIN u ON u.id = t.id WHERE t.a IN (1, 2)",
       "SELECT text FROM t JOIN u ON u.id = t.id WHERE t.a IN (1, 2)"},
      {"INSERT INTO v SELECT id, lffn_embed(text) FROM t WHERE true ON CONFLICT DO NOTHING RETURNING id",
       "SELECT text FROM t WHERE true"},
      {"UPDATE t SET v = lffn_embed(text)", "SELECT text FROM t"},
      {"UPDATE OR IGNORE main.t AS x SET a = 1, v = lffn_embed(x.text, 'document') WHERE v IS NULL RETURNING id",
       "SELECT x.text FROM main.t AS x WHERE v IS NULL"},
      {"SELECT 'it''s ; FROM', lffn_embed(text) /* FROM x */ FROM t", "SELECT text FROM t"},
  };
  for (const auto& one : kCases) EXPECT_EQ(texts_of_statement(one.statement), one.texts) << one.statement;
}

TEST(StatementTexts, AreNotGuessed) {
  for (const char* const statement : {"",
                                      ";",
                                      "SELECT",
                                      "SELECT lffn_embed",
                                      "SELECT lffn_embed(",
                                      "SELECT lffn_embed()",
                                      "SELECT lffn_embed('x'",
                                      "SELECT lffn_embed('x')",
                                      "EXPLAIN SELECT lffn_embed(text) FROM t",
                                      "WITH x AS (SELECT 1) SELECT lffn_embed(text) FROM x",
                                      "SELECT lffn_embed(a), lffn_embed(b) FROM t",
                                      "SELECT DISTINCT lffn_embed(a) FROM t",
                                      "SELECT lffn_embed(a) FROM t GROUP BY a",
                                      "SELECT lffn_embed(a) FROM t UNION SELECT 1",
                                      "SELECT lffn_embed(a) FROM (SELECT a FROM t)",
                                      "SELECT lffn_embed(a) FROM t WHERE writes(a)",
                                      "SELECT lffn_embed(writes(a)) FROM t",
                                      "SELECT (SELECT lffn_embed(a) FROM t) FROM u",
                                      "SELECT lffn_embed(a) FROM json_each('[]')",
                                      "SELECT a FROM t WHERE lffn_embed(a) = ?",
                                      "UPDATE t SET v = lffn_embed(u.text) FROM u WHERE u.id = t.id",
                                      "UPDATE t SET v = lffn_embed(text) WHERE writes(id)",
                                      "INSERT INTO v VALUES (1, lffn_embed('x'))",
                                      "DELETE FROM t WHERE lffn_embed(text) IS NULL",
                                      "UPDATE",
                                      "UPDATE OR",
                                      "UPDATE t",
                                      "SELECT ')' lffn_embed( FROM",
                                      "SELECT lffn_embed(text) FROM",
                                      "SELECT ((((",
                                      "SELECT '",
                                      "SELECT /*",
                                      "SELECT --",
                                      "SELECT [",
                                      "\xff\xfe"}) {
    EXPECT_EQ(texts_of_statement(statement), "") << statement;
  }
}

}  // namespace
}  // namespace lffn::sql

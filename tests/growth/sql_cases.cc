// SPDX-License-Identifier: Apache-2.0
// What SQLite's functions do without SQLite: they read a statement, and compare vectors.
#include <string>

#include "best.h"
#include "tests/growth/growth_case.h"
#include "vectors.h"
#ifdef LFFN_SQLITE_HEADERS
#include "look_ahead.h"
#endif

namespace growth {
namespace {

#ifdef LFFN_SQLITE_HEADERS
Work statement(std::string sql) {
  const size_t bytes = sql.size();
  return {bytes, [sql = std::move(sql)] { return lffn::sql::texts_of_statement(sql).empty() ? "not read" : ""; }};
}
#endif

Work search(size_t vectors, int64_t most) {
  constexpr size_t kBytes = 64;
  std::string all(vectors * kBytes, '\0');
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>(i * i % 127);
  const size_t bytes = all.size();
  return {bytes, [all = std::move(all), vectors, most]() -> std::string {
            const std::string query = all.substr(0, kBytes);
            const lffn::sql::Similarity similarity(query.data(), kBytes, lffn::sql::Form::kBytes);
            lffn::sql::Best best(most);
            for (size_t i = 0; i < vectors; ++i) {
              best.offer({static_cast<int64_t>(i), similarity.to(all.data() + i * kBytes)});
            }
            return best.take().empty() ? "nothing found" : "";
          }};
}

}  // namespace

std::vector<Case> sql_cases() {
  static constexpr char kKind[] = "SQL and its vectors";
  return {
#ifdef LFFN_SQLITE_HEADERS
      {kKind, "a long text",
       [](size_t n) { return statement("SELECT lffn_embed(a" + repeated("||a", n) + ") FROM t"); }, 500},
      {kKind, "many tables",
       [](size_t n) { return statement("SELECT lffn_embed(a) FROM t" + repeated(" JOIN u ON 1", n)); }, 200},
      {kKind, "comments", [](size_t n) { return statement("SELECT lffn_embed(a) FROM t" + repeated("/**/", n)); }, 500},
#endif
      {kKind, "the best of many vectors", [](size_t n) { return search(n, 10); }, 64},
      {kKind, "all vectors", [](size_t n) { return search(n, static_cast<int64_t>(n)); }, 64},
  };
}

}  // namespace growth

// SPDX-License-Identifier: Apache-2.0
// Collections to search in, as BEIR has them: a folder with documents, queries, and which documents answer a query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lffn::tools {

constexpr uint32_t kNowhere = UINT32_MAX;

// How well a document answers a query, as somebody judged it.
struct Judgement {
  uint32_t document;  // kNowhere: it is not in the collection, so no search can find it
  double score;       // from 0
};

struct JudgedQuery {
  std::string id, text, place;
  uint32_t own = kNowhere;           // the document of the same id, which is no answer
  std::vector<Judgement> judged;     // by document
  std::vector<uint32_t> candidates;  // by document, if the collection's file of them was asked for
};

struct Collection {
  std::string folder;
  std::vector<std::string> documents;  // in the file's order
  std::vector<uint32_t> lines;         // of each in its file
  std::vector<JudgedQuery> queries;    // those with a right document, in the file's order
  double right_from = 1;               // the scores of documents that are right
  size_t judgements = 0;               // of `queries`
  size_t without_right = 0;            // judged queries that have no right document
  size_t unjudged = 0;                 // queries that nobody judged
  size_t unknown_documents = 0;        // judgements of documents that are not there
  size_t unknown_queries = 0;          // judgements of queries that are not there

  std::string place_of(size_t document) const;
};

// Reads corpus.jsonl (_id, title, text), queries.jsonl (_id, text) and qrels.tsv or qrels/test.tsv (query, document,
// score), and with `candidates` candidates_bm25.tsv (query, document, place). A document's text is its title, a blank
// and its text, if it has both. Throws InvalidArgument that names file and line if anything is wrong.
Collection read_collection(const std::string& folder, double right_from, bool candidates);

}  // namespace lffn::tools

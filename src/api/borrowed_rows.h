// SPDX-License-Identifier: Apache-2.0
// What a call on a tokenizer works with, and leaves for the next one.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "api/model_handle.h"
#include "model/text_rows.h"

namespace lffn {

class BorrowedRows {
 public:
  explicit BorrowedRows(const lffn_tokenizer& handle)
      : handle_(handle), rows_(handle.memory.take([](const auto&) { return true; })) {
    if (rows_ == nullptr) rows_ = std::make_unique<TextRows>();
    rows_->clear();
  }
  BorrowedRows(const BorrowedRows&) = delete;
  BorrowedRows& operator=(const BorrowedRows&) = delete;
  // What long texts or many of them took is not kept.
  ~BorrowedRows() {
    if (rows_->longest() <= kLongText && rows_->ids().size() <= kManyTokens) handle_.memory.give_back(std::move(rows_));
  }

  TextRows& operator*() const { return *rows_; }
  TextRows* operator->() const { return rows_.get(); }

 private:
  static constexpr size_t kLongText = size_t{1} << 16, kManyTokens = size_t{1} << 18;

  const lffn_tokenizer& handle_;
  std::unique_ptr<TextRows> rows_;
};

}  // namespace lffn

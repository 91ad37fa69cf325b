// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/sentencepiece_model.h"

#include <cstddef>
#include <cstring>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"

namespace lffn {
namespace {

// The fields of a message, one after another.
class Fields {
 public:
  Fields(std::string_view message, size_t first_byte, const std::string& where)
      : message_(message), first_byte_(first_byte), where_(where) {}

  // What next() found.
  uint64_t number = 0;     // of the field
  uint64_t value = 0;      // a whole number
  float real = 0;          // or a float
  std::string_view bytes;  // or bytes
  size_t begin = 0;        // where the bytes begin in the file

  bool next() {
    if (at_ == message_.size()) return false;
    const uint64_t key = varint();
    number = key >> 3;
    kind_ = key & 7;
    switch (kind_) {
      case 0:
        value = varint();
        return true;
      case 1:
        take(8);
        return true;
      case 2:
        take(varint());
        return true;
      case 5: {
        take(4);
        uint32_t bits = 0;
        for (size_t i = 4; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
        std::memcpy(&real, &bits, sizeof real);
        return true;
      }
      default:
        refuse("has a field of a kind that is not known");
    }
  }

  int64_t whole() const {
    if (kind_ != 0) refuse("has a field that should be a whole number");
    return static_cast<int64_t>(value);
  }
  float score() const {
    if (kind_ != 5) refuse("has a score that is not a float");
    return real;
  }
  std::string_view text() const {
    if (kind_ != 2) refuse("has a field that should be bytes");
    return bytes;
  }
  Fields inside() const { return {text(), begin, where_}; }

  [[noreturn]] void refuse(const char* what) const {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the message before byte %zu %s", where_.c_str(), first_byte_ + at_, what);
  }

 private:
  void take(uint64_t size) {
    if (size > message_.size() - at_) refuse("ends too early");
    bytes = message_.substr(at_, static_cast<size_t>(size));
    begin = first_byte_ + at_;
    at_ += static_cast<size_t>(size);
  }
  uint64_t varint() {
    uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == message_.size()) refuse("ends too early");
      const auto byte = static_cast<unsigned char>(message_[at_++]);
      result |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return result;
    }
    refuse("has a number of more than 64 bits");
  }

  std::string_view message_;
  size_t first_byte_;
  const std::string& where_;
  size_t at_ = 0;
  uint64_t kind_ = 0;
};

SentencePieceModel::Piece read_piece(Fields fields) {
  SentencePieceModel::Piece piece;
  while (fields.next()) {
    if (fields.number == 1) piece.text = fields.text();
    if (fields.number == 2) piece.score = fields.score();
    if (fields.number == 3) {
      const int64_t type = fields.whole();
      if (type < 1 || type > 6) fields.refuse("has a piece of a type that is not known");
      piece.type = static_cast<SentencePieceModel::Type>(type);
    }
  }
  if (valid_utf8_length(piece.text) != piece.text.size()) fields.refuse("has a piece that is not UTF-8");
  return piece;
}

void read_trainer(Fields fields, SentencePieceModel& to) {
  while (fields.next()) {
    if (fields.number == 3) to.kind = fields.whole();
    if (fields.number == 35) to.byte_fallback = fields.whole() != 0;
    if (fields.number == 40) to.unknown_id = fields.whole();
  }
}

void read_normalizer(Fields fields, SentencePieceModel& to) {
  while (fields.next()) {
    if (fields.number == 2) to.rules = fields.text();
    if (fields.number == 3) to.adds_prefix = fields.whole() != 0;
  }
}

}  // namespace

SentencePieceModel read_sentencepiece_model(std::string_view file, const std::string& where, const int32_t* cancel) {
  SentencePieceModel result;
  Fields fields(file, 0, where);
  while (fields.next()) {
    poll(cancel);
    if (fields.number == 1) result.pieces.push_back(read_piece(fields.inside()));
    if (fields.number == 2) read_trainer(fields.inside(), result);
    if (fields.number == 3) read_normalizer(fields.inside(), result);
  }
  return result;
}

}  // namespace lffn

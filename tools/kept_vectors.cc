// SPDX-License-Identifier: Apache-2.0
#include "kept_vectors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

namespace lffn::tools {
namespace {

// The file's first bytes. All numbers are little-endian, as is every CPU that the library runs on.
struct Head {
  char magic[8];
  uint32_t version;
  int32_t kind;
  int64_t size;
  int64_t count;
  int64_t num_left_out;
  int64_t text_bytes;
  uint8_t fingerprint[LFFN_FINGERPRINT_SIZE];
  uint64_t text_hash;
  uint64_t reading;
  uint8_t reserved[48];
};
static_assert(sizeof(Head) == 128);
constexpr char kMagic[8] = {'l', 'f', 'f', 'n', 'v', 'e', 'c', 's'};
constexpr uint32_t kVersion = 1;
constexpr int64_t kMostNumbers = 65536;

struct OpenFile {
  int number;
  ~OpenFile() {
    if (number >= 0) close(number);
  }
};

size_t whole_words(size_t bytes) { return (bytes + 7) / 8 * 8; }

// How many bytes follow this head in its file; none if no file can be so large.
std::optional<size_t> bytes_of(const Head& head) {
  const bool is_kind = head.kind == LFFN_VECTORS_F32 || head.kind == LFFN_VECTORS_INT8;
  if (!is_kind || head.size < 1 || head.size > kMostNumbers || head.count < 0 || head.num_left_out < 0) return {};
  if (head.num_left_out > head.count || head.text_bytes < 0) return {};
  constexpr int64_t kMost = INT64_MAX / 8 / kMostNumbers;
  if (head.count > kMost) return {};
  const auto rows = static_cast<size_t>(head.count * head.size * (head.kind == LFFN_VECTORS_F32 ? 4 : 1));
  return sizeof head + whole_words(rows) + static_cast<size_t>(head.num_left_out) * 8;
}

void write_all(int file, const void* data, size_t size, const std::string& path) {
  for (size_t done = 0; done < size;) {
    const ssize_t wrote = write(file, static_cast<const char*>(data) + done, size - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) throw std::system_error(errno, std::generic_category(), path);
    done += static_cast<size_t>(wrote);
  }
}

bool read_head(int file, Head& head) { return pread(file, &head, sizeof head, 0) == ssize_t{sizeof head}; }

}  // namespace

uint64_t hash_of(const void* bytes, size_t size) {
  uint64_t hash = 14695981039346656037u;
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, static_cast<const uint8_t*>(bytes) + at, std::min<size_t>(8, size - at));
    hash = (hash ^ word) * 1099511628211u;
    hash ^= hash >> 32;
  }
  return hash;
}

KeptVectors::~KeptVectors() {
  if (map_ != nullptr) munmap(map_, map_bytes_);
}

int32_t KeptVectors::kind_of(const std::string& path) {
  const OpenFile file = {open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  Head head;
  if (file.number < 0 || !read_head(file.number, head)) return 0;
  if (std::memcmp(head.magic, kMagic, sizeof kMagic) != 0 || head.version != kVersion) return 0;
  return head.kind == LFFN_VECTORS_F32 || head.kind == LFFN_VECTORS_INT8 ? head.kind : 0;
}

std::string KeptVectors::take(const std::string& path) {
  // O_NONBLOCK, because opening a named pipe would wait for somebody to write to it.
  const OpenFile file = {open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) {
    if (errno == ENOENT) return {};
    throw std::system_error(errno, std::generic_category(), path);
  }
  struct stat status;
  if (fstat(file.number, &status) != 0) throw std::system_error(errno, std::generic_category(), path);
  const bool is_file = S_ISREG(status.st_mode);
  if (is_file && status.st_size == 0) return {};
  Head head = {};
  const bool has_head = is_file && read_head(file.number, head);
  char first[sizeof kMagic] = {};
  const bool has_magic = is_file && pread(file.number, first, sizeof first, 0) == ssize_t{sizeof first} &&
                         std::memcmp(first, kMagic, sizeof first) == 0;
  if (!has_magic) {
    throw lookupffn::InvalidArgument(path +
                                     ": is no file of vectors, so it is left as it is; name another with --vectors");
  }
  if (has_head && head.version != kVersion) {
    throw lookupffn::InvalidArgument(path + ": has version " + std::to_string(head.version) +
                                     ", this command knows version 1; name another file with --vectors");
  }
  const std::optional<size_t> bytes = has_head ? bytes_of(head) : std::nullopt;
  if (!bytes || static_cast<size_t>(status.st_size) != *bytes)
    return "it is damaged: its size is not what its head says";
  if (std::memcmp(head.fingerprint, key_.fingerprint.data(), sizeof head.fingerprint) != 0 || head.size != key_.size) {
    return "another model made it";
  }
  if (head.kind != key_.kind) return "it has numbers of another type";
  if (head.reading != key_.reading) return "its lines were read with other options";
  const int64_t lines = texts_.lines_of(static_cast<size_t>(head.text_bytes));
  if (lines != head.count || hash_of(texts_.bytes().data(), static_cast<size_t>(head.text_bytes)) != head.text_hash) {
    return "the texts have changed";
  }
  void* const map = mmap(nullptr, *bytes, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (map == MAP_FAILED) throw std::system_error(errno, std::generic_category(), path);
  std::vector<int64_t> left_out(static_cast<size_t>(head.num_left_out));
  const size_t tail = left_out.size() * sizeof(int64_t);
  if (tail > 0) std::memcpy(left_out.data(), static_cast<const uint8_t*>(map) + (*bytes - tail), tail);
  bool in_order = true;
  for (size_t i = 0; i < left_out.size(); ++i) {
    in_order = in_order && left_out[i] >= 0 && left_out[i] < head.count && (i == 0 || left_out[i] > left_out[i - 1]);
  }
  if (!in_order) {
    munmap(map, *bytes);
    return "it is damaged: it names lines that it does not have";
  }
  map_ = map;
  map_bytes_ = *bytes;
  num_taken_ = static_cast<size_t>(head.count);
  left_out_ = std::move(left_out);
  return {};
}

void KeptVectors::add(const void* rows, size_t count) {
  const auto* const from = static_cast<const uint8_t*>(rows);
  added_.insert(added_.end(), from, from + count * row_bytes());
  num_added_ += count;
}

void KeptVectors::write(const std::string& path) const {
  Head head = {};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  head.version = kVersion;
  head.kind = key_.kind;
  head.size = key_.size;
  head.count = static_cast<int64_t>(count());
  head.num_left_out = static_cast<int64_t>(left_out_.size());
  head.text_bytes = static_cast<int64_t>(texts_.end_of(count()));
  std::memcpy(head.fingerprint, key_.fingerprint.data(), sizeof head.fingerprint);
  head.text_hash = hash_of(texts_.bytes().data(), static_cast<size_t>(head.text_bytes));
  head.reading = key_.reading;
  const size_t taken = num_taken_ * row_bytes();
  const uint64_t zeros = 0;
  // Written beside the file, so that it can replace the file at once; readers keep what they have mapped.
  const std::string made = path + "." + std::to_string(getpid());
  unlink(made.c_str());
  const OpenFile file = {open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, texts_.mode())};
  if (file.number < 0) throw std::system_error(errno, std::generic_category(), made);
  try {
    write_all(file.number, &head, sizeof head, made);
    if (taken > 0) write_all(file.number, static_cast<const uint8_t*>(map_) + sizeof head, taken, made);
    write_all(file.number, added_.data(), added_.size(), made);
    const size_t rows = taken + added_.size();
    write_all(file.number, &zeros, whole_words(rows) - rows, made);
    write_all(file.number, left_out_.data(), left_out_.size() * sizeof(int64_t), made);
    if (fsync(file.number) != 0 || rename(made.c_str(), path.c_str()) != 0) {
      throw std::system_error(errno, std::generic_category(), path);
    }
  } catch (...) {
    unlink(made.c_str());
    throw;
  }
}

void KeptVectors::find_in(const uint8_t* rows, size_t first, size_t count, const lookupffn::Vectors& query,
                          lookupffn::SearchOptions options, lookupffn::Nearest& nearest) const {
  if (count == 0) return;
  std::vector<uint8_t> bits;
  for (const int64_t line : left_out_) {
    if (line < static_cast<int64_t>(first) || line >= static_cast<int64_t>(first + count)) continue;
    if (bits.empty()) bits.assign((count + 7) / 8, 255);
    const size_t at = static_cast<size_t>(line) - first;
    bits[at / 8] = static_cast<uint8_t>(bits[at / 8] & ~(1u << at % 8));
  }
  if (!bits.empty()) options.taking_part = bits;
  options.first_id = static_cast<int64_t>(first);
  const size_t numbers = count * static_cast<size_t>(key_.size);
  const lookupffn::Vectors vectors =
      key_.kind == LFFN_VECTORS_F32
          ? lookupffn::Vectors(lookupffn::Span<const float>(reinterpret_cast<const float*>(rows), numbers), key_.size)
          : lookupffn::Vectors(lookupffn::Span<const int8_t>(reinterpret_cast<const int8_t*>(rows), numbers),
                               key_.size);
  lookupffn::top_k(query, vectors, options, nearest);
}

lookupffn::Nearest KeptVectors::find(const lookupffn::Vectors& query, int64_t k, int32_t num_threads) const {
  lookupffn::SearchOptions options;
  options.k = k;
  options.measure = LFFN_MEASURE_COSINE;
  options.num_threads = num_threads;
  lookupffn::Nearest nearest;
  if (num_taken_ > 0) {
    find_in(static_cast<const uint8_t*>(map_) + sizeof(Head), 0, num_taken_, query, options, nearest);
  }
  find_in(added_.data(), num_taken_, num_added_, query, options, nearest);
  return nearest;
}

}  // namespace lffn::tools

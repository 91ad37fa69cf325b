// SPDX-License-Identifier: Apache-2.0
// Finds the lines of a text file that are most like a question.
//
//     c++ -std=c++17 search.cc $(pkg-config --cflags --libs lookupffn) -o search
//     ./search my-model sentences.txt "Somebody has a meal."
//
// Keeps an int8 vector for each line in sentences.txt.vectors, or where a fourth argument says, and makes them anew if
// the lines or the model have changed. It is the file of `lookupffn search`, which tools/README.md describes. C's
// semantic_search.c maps it into memory.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <lookupffn/lookupffn.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::int64_t kBest = 3;
constexpr std::size_t kLinesAtOnce = 256;

struct FileHead {
  std::array<char, 8> magic = {'l', 'f', 'f', 'n', 'v', 'e', 'c', 's'};
  std::uint32_t version = 1;
  std::int32_t kind = LFFN_VECTORS_INT8;
  std::int64_t size = 0, count = 0, left_out = 0, text_bytes = 0;
  std::array<std::uint8_t, LFFN_FINGERPRINT_SIZE> fingerprint = {};
  std::uint64_t text_hash = 0, reading = 0;
  std::array<std::uint8_t, 48> reserved = {};

  // Of all vectors, without what fills up to a whole number of 8.
  std::size_t bytes() const {
    return static_cast<std::size_t>(size * count) * (kind == LFFN_VECTORS_F32 ? sizeof(float) : 1);
  }
};
static_assert(sizeof(FileHead) == 128, "as in the file");

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// Views of the text.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (end != std::string_view::npos && !line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037u;
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(8, bytes.size()))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min<std::size_t>(8, bytes.size()));
    hash = (hash ^ word) * 1099511628211u;
    hash ^= hash >> 32;
  }
  return hash;
}

// Whether a file has these vectors, as float32 or int8.
bool is_what(FileHead wanted, const std::string& file) {
  FileHead found;
  if (file.size() < sizeof found) return false;
  std::memcpy(&found, file.data(), sizeof found);
  if (found.kind == LFFN_VECTORS_F32) wanted.kind = found.kind;
  return std::memcmp(&found, &wanted, sizeof found) == 0 && file.size() == sizeof found + (found.bytes() + 7) / 8 * 8;
}

// Each kind of text has the prompt that the model names for it, if it names one.
lookupffn::RunOptions with_prompt(std::int32_t kind) {
  lookupffn::RunOptions options;
  options.prompt_kind = kind;
  return options;
}

std::string make_vectors(const lookupffn::Model& model, const std::vector<std::string_view>& lines,
                         const FileHead& head) {
  std::string made(sizeof head + (head.bytes() + 7) / 8 * 8, '\0');
  std::memcpy(made.data(), &head, sizeof head);
  std::size_t end = sizeof head;
  for (std::size_t at = 0; at < lines.size(); at += kLinesAtOnce) {
    lookupffn::Texts texts;
    for (std::size_t i = at; i < std::min(lines.size(), at + kLinesAtOnce); ++i) texts.add(lines[i]);
    const std::vector<std::int8_t> rows = model.embed_int8(texts, with_prompt(LFFN_PROMPT_DOCUMENT)).values;
    std::memcpy(made.data() + end, rows.data(), rows.size());
    end += rows.size();
  }
  return made;
}

// Beside the old one, whose name it then takes: what is not finished is never seen.
void write_file(const std::string& bytes, const std::filesystem::path& path) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::filesystem::path part = path.string() + "." + std::to_string(now);
  std::ofstream file(part, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code failed;
  if (file) std::filesystem::rename(part, path, failed);
  if (file && !failed) return;
  std::filesystem::remove(part, failed);
  throw std::runtime_error("cannot write " + path.string());
}

// The file that has the vectors, made if there is none.
std::string get_vectors(const lookupffn::Model& model, std::string_view text,
                        const std::vector<std::string_view>& lines, const std::filesystem::path& path) {
  FileHead wanted;
  wanted.size = model.info().embedding_size;
  wanted.count = static_cast<std::int64_t>(lines.size());
  wanted.text_bytes = static_cast<std::int64_t>(text.size());
  wanted.fingerprint = model.fingerprint();
  wanted.text_hash = hash_of(text);
  if (std::filesystem::exists(path)) {
    std::string found = read_file(path);
    if (is_what(wanted, found)) return found;
    if (!found.empty() && found.compare(0, wanted.magic.size(), wanted.magic.data(), wanted.magic.size()) != 0) {
      throw std::runtime_error(path.string() + " is no file of vectors, so it is left as it is");
    }
  }
  std::string made = make_vectors(model, lines, wanted);
  write_file(made, path);
  return made;
}

void search(const lookupffn::Model& model, const char* question, const std::vector<std::string_view>& lines,
            const std::string& file) {
  FileHead head;
  std::memcpy(&head, file.data(), sizeof head);
  const char* const data = file.data() + sizeof head;
  const auto numbers = static_cast<std::size_t>(head.size * head.count);
  const lookupffn::RunOptions as_query = with_prompt(LFFN_PROMPT_QUERY);
  lookupffn::SearchOptions options;
  options.k = kBest;
  options.measure = LFFN_MEASURE_COSINE;  // for which bytes need no scales
  lookupffn::Nearest found;
  if (head.kind == LFFN_VECTORS_F32) {
    const std::vector<float> asked = model.embed({question}, as_query);
    const lookupffn::Span<const float> vectors(reinterpret_cast<const float*>(data), numbers);
    found = lookupffn::top_k({asked, head.size}, {vectors, head.size}, options);
  } else {
    const std::vector<std::int8_t> asked = model.embed_int8({question}, as_query).values;
    const lookupffn::Span<const std::int8_t> vectors(reinterpret_cast<const std::int8_t*>(data), numbers);
    found = lookupffn::top_k({asked, head.size}, {vectors, head.size}, options);
  }
  for (std::size_t i = 0; i < found.ids_of(0).size(); ++i) {
    const std::string_view line = lines[static_cast<std::size_t>(found.ids_of(0)[i])];
    std::printf("%7.4f  %.*s\n", static_cast<double>(found.scores_of(0)[i]), static_cast<int>(line.size()),
                line.data());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: %s MODEL FILE QUESTION [VECTORS]\n", argv[0]);
    return 2;
  }
  try {
    const auto model = lookupffn::Model::load(argv[1]);
    const std::string text = read_file(argv[2]);
    const std::vector<std::string_view> lines = lines_of(text);
    const std::string path = argc == 5 ? argv[4] : std::string(argv[2]) + ".vectors";
    search(model, argv[3], lines, get_vectors(model, text, lines, path));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "search: %s\n", error.what());
    return 1;
  }
  return 0;
}

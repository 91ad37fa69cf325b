// SPDX-License-Identifier: Apache-2.0
#include "format/stand_in.h"

#include <algorithm>

#include "format/utf8.h"

namespace lffn {
namespace {

constexpr size_t kStartBytes = 256;  // a pointer has about 130
constexpr size_t kMostDigits = 20;
constexpr std::string_view kPointer = "version https://git-lfs.github.com/spec/";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(), [](char a, char b) { return a == lower(b); });
}

// " of 90868376 bytes", as the pointer says.
std::string size_in_pointer(std::string_view pointer) {
  constexpr std::string_view kSize = "\nsize ";
  const size_t found = pointer.find(kSize);
  if (found == std::string_view::npos) return {};
  const std::string_view rest = pointer.substr(found + kSize.size());
  const auto end = std::find_if_not(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; });
  const auto digits = static_cast<size_t>(end - rest.begin());
  return digits == 0 || digits > kMostDigits ? "" : " of " + std::string(rest.substr(0, digits)) + " bytes";
}

}  // namespace

void refuse_stand_in(std::string_view file) {
  const std::string_view start = file.substr(0, kStartBytes);
  if (starts_with(start, kPointer)) {
    fail(LFFN_ERROR_BAD_MODEL,
         "it is a pointer of Git LFS to a file%s, which was not fetched; run `git lfs pull` in its folder, or fetch "
         "the folder by `hf download OWNER/NAME --local-dir FOLDER`",
         size_in_pointer(start).c_str());
  }
  const size_t blank = start.find_first_not_of(" \t\r\n");
  const std::string_view words = blank == std::string_view::npos ? "" : start.substr(blank);
  if (begins_with(words, "<!doctype html") || begins_with(words, "<html")) {
    fail(LFFN_ERROR_BAD_MODEL,
         "it is an HTML page, saved in place of the file; fetch the file itself, as `hf download` does: on the hub its "
         "address has /resolve/ where the page's has /blob/");
  }
  for (const std::string_view refusal : {"entry not found", "invalid username or password", "access to model "}) {
    if (!begins_with(words, refusal)) continue;
    fail(LFFN_ERROR_BAD_MODEL, "it is a server's refusal, saved in place of the file: %s",
         in_quotes(words.substr(0, words.find('\n'))).c_str());
  }
}

void refuse_stand_in(const Bytes& file) {
  std::string start(std::min(file.size(), kStartBytes), '\0');
  file.read(0, start.size(), start.data());
  refuse_stand_in(start);
}

std::string hint_of_hub(const std::string& path) {
  const auto is_of_name = [](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  const size_t slash = path.find('/');
  const bool has_owner = slash != std::string::npos;
  const std::string owner = has_owner ? path.substr(0, slash) : "";
  const std::string name = has_owner ? path.substr(slash + 1) : path;
  const auto is_name = [&](const std::string& part) {
    return !part.empty() && part[0] != '.' && std::all_of(part.begin(), part.end(), is_of_name);
  };
  if (!is_name(name) || (has_owner && !is_name(owner))) return {};
  for (const std::string_view ending : {".safetensors", ".json", ".bin", ".txt"}) {
    if (ends_with(name, ending)) return {};
  }
  return "; a model of the Hugging Face hub is fetched first: `hf download " + (has_owner ? path : "OWNER/" + name) +
         " --local-dir " + name + "`";
}

}  // namespace lffn

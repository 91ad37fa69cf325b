// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "runtime/cpu_count.h"

namespace lffn {
namespace {

// The file's text, "" where it cannot be read.
std::string read_text(const std::string& name) {
  std::string text;
  char part[4096];
  const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  try {
    for (ssize_t size; (size = read(file, part, sizeof part)) > 0;) text.append(part, static_cast<size_t>(size));
  } catch (...) {
    close(file);
    throw;
  }
  close(file);
  return text;
}

// Cuts off and returns what comes before the separator, or all.
std::string_view next(std::string_view& rest, char separator) {
  const size_t end = rest.find(separator);
  const std::string_view first = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return first;
}

// A path in mountinfo has a blank, a tab, a line end and a backslash as \\040, \\011, \\012 and \\134.
std::string decoded(std::string_view path) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string text;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '\\' && i + 3 < path.size() && is_octal(path[i + 1]) && is_octal(path[i + 2]) &&
        is_octal(path[i + 3])) {
      text += static_cast<char>((path[i + 1] - '0') * 64 + (path[i + 2] - '0') * 8 + path[i + 3] - '0');
      i += 3;
    } else {
      text += path[i];
    }
  }
  return text;
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (next(list, ',') == word) return true;
  }
  return false;
}

// The process's group in one version, from lines such as 0::/a/b and 4:cpu,cpuacct:/a/b.
std::string_view group_path(std::string_view lines, bool unified) {
  while (!lines.empty()) {
    std::string_view path = next(lines, '\n');
    const std::string_view number = next(path, ':'), controllers = next(path, ':');
    if (unified ? number == "0" && controllers.empty() : has_word(controllers, "cpu")) return path;
  }
  return "";
}

// Whether a mount point that shows the group `root` also shows the group `path`. A path with /.. leaves its namespace.
bool shows(std::string_view path, std::string_view root) {
  if (path.find("/..") != std::string_view::npos) return false;
  return root == "/" || path == root ||
         (path.size() > root.size() && path.substr(0, root.size()) == root && path[root.size()] == '/');
}

// One group's quota in CPUs, 0 for none: "max" and -1 are no numbers above 0.
double quota_of(const std::string& folder, bool unified) {
  double quota = 0, period = 0;
  if (unified) {
    const std::string text = read_text(folder + "/cpu.max");
    char* rest = nullptr;
    quota = std::strtod(text.c_str(), &rest);
    period = std::strtod(rest, nullptr);
  } else {
    quota = std::strtod(read_text(folder + "/cpu.cfs_quota_us").c_str(), nullptr);
    period = std::strtod(read_text(folder + "/cpu.cfs_period_us").c_str(), nullptr);
  }
  return quota > 0 && period > 0 ? quota / period : 0;
}

}  // namespace

int32_t cpu_quota(const std::string& root) {
  constexpr double kMost = 1 << 20;
  double least[2] = {INFINITY, INFINITY};  // of version 1 and 2
  bool shown[2] = {};
  const std::string groups = read_text(root + "/proc/self/cgroup"), mounts = read_text(root + "/proc/self/mountinfo");
  // 31 23 0:28 ROOT MOUNT_POINT options [optional fields] - TYPE source SUPER_OPTIONS
  for (std::string_view lines = mounts; !lines.empty();) {
    std::string_view line = next(lines, '\n');
    for (int skipped = 0; skipped < 3; ++skipped) next(line, ' ');
    const std::string group_root = decoded(next(line, ' '));
    const std::string mount_point = root + decoded(next(line, ' '));
    while (!line.empty() && next(line, ' ') != "-") {
    }
    const std::string_view type = next(line, ' ');
    next(line, ' ');
    const bool unified = type == "cgroup2";
    if (!unified && (type != "cgroup" || !has_word(line, "cpu"))) continue;
    std::string_view path = group_path(groups, unified);
    // A container may see only its own group but be told its path on the host: if no mount point shows the path, each
    // is taken for the group's own.
    const bool here = shows(path, group_root);
    if (shown[unified] && !here) continue;
    if (here && !shown[unified]) least[unified] = INFINITY;
    shown[unified] |= here;
    path = !here || path == "/" ? "" : path.substr(group_root == "/" ? 0 : group_root.size());
    while (true) {
      const double quota = quota_of(mount_point + std::string(path), unified);
      if (quota > 0) least[unified] = std::min(least[unified], quota);
      if (path.empty()) break;
      const size_t parent = path.rfind('/');
      path = path.substr(0, parent == std::string_view::npos ? 0 : parent);
    }
  }
  const double smaller = std::min(least[0], least[1]);
  return smaller == INFINITY ? 0 : static_cast<int32_t>(std::ceil(std::min(smaller, kMost)));
}

}  // namespace lffn

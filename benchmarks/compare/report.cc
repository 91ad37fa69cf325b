// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace compare {
namespace {

using nlohmann::json;

std::string first_line_after(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "";
}

// As the kernel tells it, such as "32K"; "" where it does not.
std::string cache_size(int index) {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
  std::string size;
  file >> size;
  return size;
}

std::string linux_release() {
  utsname name;
  uname(&name);
  const std::string release = name.release;
  return release.substr(0, release.find('-'));
}

json to_json(const Cell& cell) {
  json engines = json::object(), ratios = json::array();
  for (const EngineResult& e : cell.engines) {
    engines[e.kind->name] = to_json(distribution(e.us_per_token));
    engines[e.kind->name]["rounds"] = e.us_per_token;
  }
  for (const Ratio& r : cell.ratios) {
    ratios.push_back({{"engine", r.engine}, {"against", r.against}, {"times_faster", to_json(r.times_faster)}});
  }
  return {{"shape", cell.shape},     {"batch", cell.batch},
          {"threads", cell.threads}, {"fastest_float32", cell.fastest_float32},
          {"us_per_token", engines}, {"ratios", ratios}};
}

// An engine before a change is held against itself only.
bool worth_a_line(const Cell& cell, const Ratio& ratio) {
  if (ratio.against.rfind("before-", 0) == 0) return ratio.against.substr(7) == ratio.engine.substr(10);
  return ratio.against == cell.fastest_float32 || ratio.against == "onnxruntime-int8";
}

}  // namespace

json to_json(const Distribution& d) { return {{"median", d.median}, {"p10", d.p10}, {"p90", d.p90}}; }

json machine() {
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  return {{"cpu", first_line_after("/proc/cpuinfo", "model name")},
          {"processor", first_line_after("/proc/cpuinfo", "vendor_id") + "-" +
                            first_line_after("/proc/cpuinfo", "cpu family") + "-" +
                            first_line_after("/proc/cpuinfo", "model\t")},
          {"isa", lffn_isa()},
          {"linux", linux_release()},
          {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
          {"l1d", cache_size(0)},
          {"l2", cache_size(2)},
          {"l3", cache_size(3)},
          {"load_average_at_end", load},
          {"compiler", __VERSION__}};
}

void print_cell(const Cell& cell) {
  if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r\033[K");
  std::printf("%s, batch %lld, %d thread%s, %zu rounds\n", cell.shape.c_str(), static_cast<long long>(cell.batch),
              cell.threads, cell.threads == 1 ? "" : "s", cell.engines.front().us_per_token.size());
  for (const EngineResult& e : cell.engines) {
    const Distribution us = distribution(e.us_per_token);
    std::printf("  %-22s %9.2f us/token  (%.2f .. %.2f)", e.kind->name, us.median, us.p10, us.p90);
    for (const Ratio& r : cell.ratios) {
      if (r.engine != e.kind->name || !worth_a_line(cell, r)) continue;
      std::printf("  %.2fx %s (%.2f .. %.2f)", r.times_faster.median, r.against.c_str(), r.times_faster.p10,
                  r.times_faster.p90);
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

void write_json(const Report& report, const std::string& path) {
  json cells = json::array(), layers = json::object();
  for (const Cell& cell : report.cells) cells.push_back(to_json(cell));
  for (const Shape& s : shapes()) {
    json& layer = layers[s.name];
    layer = {{"d", s.d}, {"t", s.t}};
    if (!s.is_linear()) layer.update({{"h", s.h}, {"tau", s.tau}, {"block", s.block}});
    const auto spread = report.spreads.find(s.name);
    if (spread != report.spreads.end()) {
      layer["code_entropy_bits"] = spread->second.entropy_bits;
      layer["rows_used"] = spread->second.rows_used;
    }
    const auto differences = report.differences.find(s.name);
    if (differences != report.differences.end()) layer["difference"] = differences->second;
  }
  const json all = {{"machine", machine()},      {"versions", report.versions},
                    {"missing", report.missing}, {"seconds_per_cell", report.seconds_per_cell},
                    {"shapes", layers},          {"cells", cells}};
  std::ofstream file(path);
  file << all.dump(1) << "\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void show_progress(size_t done, size_t total, const std::string& what) {
  if (!isatty(STDERR_FILENO)) return;
  constexpr size_t kWidth = 40;
  const size_t filled = total == 0 ? kWidth : done * kWidth / total;
  std::fprintf(stderr, "\r\033[K[%s%s] %zu/%zu %s", std::string(filled, '#').c_str(),
               std::string(kWidth - filled, '.').c_str(), done, total, what.c_str());
  std::fflush(stderr);
}

}  // namespace compare

// SPDX-License-Identifier: Apache-2.0
// lookupffn embed: a vector for each line of text.
#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "layer_options.h"
#include "model_options.h"
#include "npy_file.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

enum class Form { kFloats, kBytes, kBits };

struct EmbedOptions {
  std::string model;
  std::string input = "-";
  std::string npy;
  int32_t pooling = LFFN_POOLING_MODEL;
  bool keep_length = false;
  bool unit_length = false;
  bool raw = false;
  bool repair = false;
  int32_t windows = LFFN_WINDOWS_NONE;
  int64_t stride = LFFN_STRIDE_DEFAULT;
  int32_t dimensions = 0;
  bool sparse = false;
  bool late = false;
  int32_t most = LFFN_MAX_ACTIVE_MODEL;
  int32_t form = static_cast<int32_t>(Form::kFloats);
  TextOptions text;
  ModelOptions load;
};

const std::map<std::string, int32_t>& pooling_names() {
  static const std::map<std::string, int32_t> names = {{"model", LFFN_POOLING_MODEL},
                                                       {"first", LFFN_POOLING_FIRST},
                                                       {"mean", LFFN_POOLING_MEAN},
                                                       {"max", LFFN_POOLING_MAX},
                                                       {"mean-sqrt", LFFN_POOLING_MEAN_SQRT},
                                                       {"weighted-mean", LFFN_POOLING_WEIGHTED_MEAN},
                                                       {"last", LFFN_POOLING_LAST}};
  return names;
}

const std::map<std::string, int32_t>& window_names() {
  static const std::map<std::string, int32_t> names = {{"each", LFFN_WINDOWS_EACH}, {"mean", LFFN_WINDOWS_MEAN}};
  return names;
}

const std::map<std::string, int32_t>& form_names() {
  static const std::map<std::string, int32_t> names = {{"float32", static_cast<int32_t>(Form::kFloats)},
                                                       {"int8", static_cast<int32_t>(Form::kBytes)},
                                                       {"bits", static_cast<int32_t>(Form::kBits)}};
  return names;
}

namespace out = lookupffn::out;

std::vector<lookupffn::AnyOutput> outputs_of(const EmbedOptions& options) {
  const auto form = static_cast<Form>(options.form);
  if (options.sparse) return {out::sparse_ids, out::sparse_weights, out::sparse_offsets};
  if (options.late && form == Form::kBytes) {
    return {out::int8_token_vectors, out::token_vector_scales, out::vector_offsets};
  }
  if (options.late) return {out::token_vectors, out::vector_offsets};
  std::vector<lookupffn::AnyOutput> outputs = {out::embeddings};
  if (form == Form::kBytes) outputs = {out::int8_embeddings, out::embedding_scales};
  if (form == Form::kBits) outputs = {out::bit_embeddings};
  if (options.windows == LFFN_WINDOWS_EACH) {
    outputs.insert(outputs.end(),
                   {out::window_offsets, out::text_begins, out::text_ends, out::pair_begins, out::pair_ends});
  }
  return outputs;
}

template <typename Number>
void append_numbers(std::string& out, const Number* numbers, size_t count) {
  const std::vector<int32_t> whole(numbers, numbers + count);
  append_json(out, whole.data(), count);
}

void append_embedding(std::string& json, Form form, const lookupffn::Result& result, size_t row) {
  if (form == Form::kBytes) {
    json += ",\"scale\":";
    append_json(json, result.get(out::embedding_scales)[row]);
  }
  json += ",\"embedding\":";
  if (form == Form::kBytes) {
    const auto values = result.get(out::int8_embeddings).row(row);
    append_numbers(json, values.data(), values.size());
  } else if (form == Form::kBits) {
    const auto values = result.get(out::bit_embeddings).row(row);
    append_numbers(json, values.data(), values.size());
  } else {
    const auto values = result.get(out::embeddings).row(row);
    append_json(json, values.data(), values.size());
  }
}

// The places of a text's embeddings among all: one, or one for each of its windows.
std::pair<size_t, size_t> rows_of(const EmbedOptions& options, const lookupffn::Result& result, size_t text) {
  if (options.windows != LFFN_WINDOWS_EACH) return {text, text + 1};
  const auto offsets = result.get(out::window_offsets);
  return {static_cast<size_t>(offsets[text]), static_cast<size_t>(offsets[text + 1])};
}

void append_window(std::string& json, const lookupffn::Result& result, const TextRecord& record, size_t row) {
  // In a pair, the second text is the one that is read in windows.
  const int64_t begin = result.get(record.has_pair ? out::pair_begins : out::text_begins)[row];
  const int64_t end = result.get(record.has_pair ? out::pair_ends : out::text_ends)[row];
  json += ",\"begin\":" + std::to_string(begin) + ",\"end\":" + std::to_string(end);
}

using Statuses = lookupffn::Rows<int32_t>;

// A line of output for each embedding of the records.
std::string as_json(const EmbedOptions& options, const std::vector<TextRecord>& records, const Statuses& statuses,
                    const lookupffn::Result& result) {
  std::string json;
  for (size_t i = 0; i < records.size(); ++i) {
    if (statuses[i] != LFFN_OK) continue;
    const auto [begin, end] = rows_of(options, result, i);
    for (size_t row = begin; row < end; ++row) {
      json += '{';
      append_record(json, records[i]);
      if (options.windows == LFFN_WINDOWS_EACH) append_window(json, result, records[i], row);
      append_embedding(json, static_cast<Form>(options.form), result, row);
      json += "}\n";
    }
  }
  return json;
}

// A line of output for each record.
std::string as_sparse(const Statuses& statuses, const lookupffn::Result& result) {
  const int32_t* const ids = result.get(out::sparse_ids).values.data();
  const float* const weights = result.get(out::sparse_weights).values.data();
  const auto offsets = result.get(out::sparse_offsets);
  std::string json;
  for (size_t i = 0; i < statuses.count(); ++i) {
    if (statuses[i] != LFFN_OK) continue;
    const auto begin = static_cast<size_t>(offsets[i]), end = static_cast<size_t>(offsets[i + 1]);
    json += "{\"indices\":";
    append_json(json, ids + begin, end - begin);
    json += ",\"values\":";
    append_json(json, weights + begin, end - begin);
    json += "}\n";
  }
  return json;
}

// A line of output for each record: as many vectors as it has.
std::string as_late(const EmbedOptions& options, const Statuses& statuses, const lookupffn::Result& result) {
  const bool bytes = static_cast<Form>(options.form) == Form::kBytes;
  const auto offsets = result.get(out::vector_offsets);
  std::string json;
  for (size_t i = 0; i < statuses.count(); ++i) {
    if (statuses[i] != LFFN_OK) continue;
    const auto begin = static_cast<size_t>(offsets[i]), end = static_cast<size_t>(offsets[i + 1]);
    json += "{\"vectors\":[";
    for (size_t v = begin; v < end; ++v) {
      if (v > begin) json += ',';
      if (bytes) {
        const auto vector = result.get(out::int8_token_vectors).row(v);
        append_numbers(json, vector.data(), vector.size());
      } else {
        const auto vector = result.get(out::token_vectors).row(v);
        append_json(json, vector.data(), vector.size());
      }
    }
    json += ']';
    if (bytes) {
      json += ",\"scales\":";
      append_json(json, result.get(out::token_vector_scales).values.data() + begin, end - begin);
    }
    json += "}\n";
  }
  return json;
}

std::string as_floats(const lookupffn::Result& result) {
  const auto values = result.get(out::embeddings).values;
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

size_t width_of(const EmbedOptions& options, const lookupffn::Model& model) {
  if (options.dimensions > 0) return static_cast<size_t>(options.dimensions);
  return static_cast<size_t>(options.pooling == LFFN_POOLING_MODEL ? model.info().embedding_size
                                                                   : model.info().hidden_size);
}

int embed(const EmbedOptions& options) {
  if (options.raw && isatty(STDOUT_FILENO) == 1) {
    throw lookupffn::InvalidArgument(
        "--raw writes binary floats, and standard output is a terminal; redirect the output");
  }
  if (options.windows == LFFN_WINDOWS_EACH && (options.raw || !options.npy.empty())) {
    throw lookupffn::InvalidArgument(
        "--windows each gives each line its own number of vectors, which --raw and --npy cannot show; use JSON or "
        "--windows mean");
  }
  if (options.late && static_cast<Form>(options.form) == Form::kBits) {
    throw lookupffn::InvalidArgument("--late gives float32 or int8; take --type int8");
  }
  const lookupffn::Model model = options.load.load(options.model);
  if (options.late && model.info().is_late == 0) {
    throw lookupffn::InvalidArgument(options.model + ": makes no vectors of late interaction; `lookupffn info` shows " +
                                     "what a model is");
  }
  lookupffn::RunOptions run = options.text.run_options();
  run.pooling = options.pooling;
  run.dimensions = options.dimensions;
  run.windows = options.windows;
  run.stride = options.windows != LFFN_WINDOWS_NONE ? options.stride : 0;
  run.repair_text = options.repair;
  if (options.keep_length) run.normalize = LFFN_NORMALIZE_NO;
  if (options.unit_length) run.normalize = LFFN_NORMALIZE_YES;
  lffn_model_run_args args = lookupffn::Model::arguments(run);
  args.max_active = options.most;
  const std::vector<lookupffn::AnyOutput> outputs = outputs_of(options);
  TextInput input(options.input, "embedding", options.text.json_lines());
  std::unique_ptr<NpyFile> npy;
  if (!options.npy.empty()) npy = std::make_unique<NpyFile>(options.npy, width_of(options, model));
  lookupffn::Result result;
  for (std::vector<TextRecord> records = input.next(); !records.empty(); records = input.next()) {
    const Statuses statuses = run_records(model, records, input, args, outputs, result);
    if (npy != nullptr) {
      npy->write(result.get(out::embeddings).values.data(), records.size());
      continue;
    }
    if (!write_out(options.sparse ? as_sparse(statuses, result)
                   : options.late ? as_late(options, statuses, result)
                   : options.raw  ? as_floats(result)
                                  : as_json(options, records, statuses, result))) {
      return 1;
    }
  }
  if (npy != nullptr) npy->finish();
  return input.exit_status();
}

}  // namespace

Command embed_command(CLI::App& parent) {
  auto options = std::make_shared<EmbedOptions>();
  CLI::App* app = parent.add_subcommand("embed", "Turn each line of text into a vector");
  app->add_option("MODEL", options->model, "A model: a folder or a single file")->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text; default or -: standard input");
  add_choice(
      *app, "--pooling", options->pooling, pooling_names(),
      "How a line's tokens become one vector: model, first, mean, max, mean-sqrt, weighted-mean or last; default: "
      "as the model says");
  CLI::Option* const keep =
      app->add_flag("--keep-length", options->keep_length, "Do not scale the vectors to length 1");
  app->add_flag("--unit-length", options->unit_length, "Scale the vectors to length 1")->excludes(keep);
  CLI::Option* const raw =
      app->add_flag("--raw", options->raw, "Write little-endian float32, vector after vector, instead of JSON");
  CLI::Option* const npy =
      app->add_option("--npy", options->npy, "Write a NumPy file of [lines, numbers] instead of JSON")
          ->type_name("FILE.npy")
          ->excludes(raw);
  app->add_option("--dimensions", options->dimensions, "The first N numbers of each vector, scaled after that")
      ->check(whole(1))
      ->type_name("N");
  CLI::Option* const windows = add_choice(*app, "--windows", options->windows, window_names(),
                                          "Read long lines in windows of --max-tokens instead of cutting them: each "
                                          "becomes a line of output, or their mean");
  app->add_option("--stride", options->stride,
                  "Tokens of the line that a window repeats; default half of a window, at most 128")
      ->check(whole(0))
      ->type_name("N")
      ->needs(windows);
  add_choice(*app, "--type", options->form, form_names(),
             "Numbers of JSON: float32, the default; int8, to be multiplied by \"scale\"; bits, eight to a number, the "
             "first one the highest")
      ->excludes(raw)
      ->excludes(npy);
  CLI::Option* const sparse =
      app->add_flag("--sparse", options->sparse,
                    "Sparse vectors: each line becomes {\"indices\": [...], \"values\": [...]}, the largest first")
          ->excludes(raw)
          ->excludes(npy)
          ->excludes(windows)
          ->excludes("--type")
          ->excludes("--dimensions")
          ->excludes("--pooling")
          ->excludes("--keep-length")
          ->excludes("--unit-length");
  app->add_flag("--late", options->late,
                "Vectors of late interaction: each line becomes {\"vectors\": [[...], ...]}; say --query or --document")
      ->excludes(sparse)
      ->excludes(raw)
      ->excludes(npy)
      ->excludes(windows)
      ->excludes("--dimensions")
      ->excludes("--pooling");
  app->add_option("--most", options->most, "Values of a sparse vector; default: as many as the model's files say")
      ->check(whole(1))
      ->type_name("N")
      ->needs(sparse);
  CLI::Option* const repair =
      app->add_flag("--repair", options->repair, "Read what is not UTF-8 as U+FFFD instead of refusing its line");
  options->text.add_to(*app);
  options->text.add_purposes_to(*app);
  repair->excludes("--json-lines");
  options->load.add_to(*app);
  app->footer(
      "Each line becomes one line of JSON, {\"text\": ..., \"embedding\": [...]}, as soon as it is there, made as the\n"
      "model means it: its prompt, its pooling, its scaling. The scalar product of two vectors of length 1 tells how\n"
      "alike their lines are. A line that cannot be read is reported on standard error, the others are written; with "
      "--raw "
      "and\n"
      "--npy its numbers are zeros. The exit status is 1 then. With --windows each, \"begin\" and \"end\" are the "
      "bytes\n"
      "that the window stands for, of the second text of a pair.\n"
      "\n"
      "Examples:\n"
      "  lookupffn embed my-model sentences.txt > vectors.jsonl\n"
      "  lookupffn embed --npy vectors.npy my-model sentences.txt\n"
      "  lookupffn embed --sparse --query --most 32 my-sparse-model queries.txt\n"
      "  lookupffn embed --late --document --type int8 my-late-model documents.txt\n"
      "  lookupffn embed --windows each --stride 32 --type int8 my-model documents.txt > windows.jsonl\n"
      "  echo '\"One text.\"' | lookupffn embed --json-lines my-model");
  return {app, [options] { return embed(*options); }};
}

}  // namespace lffn::tools

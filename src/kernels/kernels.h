// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a layer, one table of functions per instruction set. Plain pointers and numbers only: this header
// is the whole interface between the kernels and the rest of the library.
//
// Every kernel computes a token's numbers in one fixed order of roundings, whatever its neighbours, the tile, the
// thread or the vector width.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lffn {

// Weights of a product are stored in panels of this many outputs: [outputs / panel][inputs][panel].
constexpr int64_t kPanel = 16;

// Sums over inputs are kept as this many partial sums; feature f goes into partial sum f % kPartialSums.
constexpr int kPartialSums = 16;

struct NormPlan {
  int64_t size;  // numbers per row
  float eps;
  const float* gain;
  const float* shift;
  bool rms = false;  // RMS norm: the mean is not subtracted; not in a HashPlan
};

enum class HashArithmetic : int32_t { kF32, kInt8 };

// From tokens to codes and scores: layer norm, projection, signs, softmax weights.
struct HashPlan {
  int64_t input_size;  // floats per token
  int64_t width;       // rows of a tile of inputs: input_size padded to N for BH, input_size for dense
  int64_t outputs;     // rows of a product: N for BH; for dense the hash values in whole panels: value 0 of the first
                       // kPanel tables, their value 1 and so on, then those of the next tables, or as many as there are
  int64_t num_hashes;  // num_tables * code_bits
  int32_t num_tables;
  int32_t code_bits;
  int32_t num_probes;
  bool sigmoid;
  bool layer_norm;
  NormPlan norm;  // of the inputs, with layer_norm only

  bool dense;
  int32_t chains;     // 1 for dense
  int32_t factors;    // 1 for dense
  int64_t block;      // inputs and outputs of a BH block; dense int8: inputs whose products are summed in integers
  float keep;         // 1 - decay_coeff, the share of the input in z; for dense unused
  const float* bias;  // [num_hashes], for dense [outputs]

  HashArithmetic arithmetic;
  const float* weights;  // f32: [chains][factors][blocks] of panels, Hadamard and decay folded in
  // int8: cells of kernels.hash_cell_inputs numbers, int8 or int16; `at once` is kernels.hash_outputs, or a smaller
  // block. [chains][factors][outputs / at once][blocks][cells of a block][at once]; dense: the blocks of inputs
  // outermost; nullptr for kernels without dense_tiles.
  const int32_t* weight_cells;
  // int8, for one token or rows: bytes, [chains][factors][blocks][outputs / panel][cells of a block][panel][cell]
  const int8_t* token_weights;
  const float* weight_scales;  // int8: [chains][factors][outputs]
  const int32_t* starts;  // int8: -128 * the sum of an output's weights, [chains][factors][outputs]; dense: [blocks]...
  int64_t step_rows;      // int8: inputs that are quantised alike, whole blocks
};

// Codes and scores of some tokens for tables of at most kPickRows rows, as gather_picked wants them: cells of four
// tables' bytes, the tokens side by side.
struct PickOutput {
  int32_t* codes;            // [groups of kEntryGroup tables][stride]: kPickRows * (table % kEntryGroup) + code
  int32_t* scores;           // the same: what quantise_scores makes of the scores
  float* score_byte_scales;  // [stride]
  int64_t stride;            // tokens in whole vectors
  const float* row_scales;   // [num_tables][table_size], with room for kPickRows from each table on
  int64_t table_size;
};

// Codes and scores of many tokens, token by token. An entry is a code with its score, entry = table * num_probes +
// probe. A kernel may write up to a tile's width past the last token, and past a token's last entry up to a whole
// panel.
struct HashOutput {
  uint16_t* codes;                    // [tokens][stride]
  float* scores;                      // [tokens][stride]
  int64_t stride;                     // from token_stride()
  const PickOutput* picks = nullptr;  // if set, hash_tile of kernels that have gather_picked writes only this
};

// Tables whose int8 rows are added at once.
constexpr int32_t kEntryGroup = 4;
// A register of 512 bits holds one column of all rows of a group's tables. For each group the registers of kPickColumns
// columns lie side by side.
constexpr int32_t kPickRows = 16, kPickColumns = 8;
// The int8 sums of so many tables fit 32 bits, whatever they hold: 127 * 128 * 2^17 < 2^31.
constexpr int32_t kTablesInt8 = 1 << 17;
// Entries from one token to the next: whole vectors, and never a power of two, or the tokens would share cache sets.
constexpr int64_t token_stride(int64_t entries) { return (entries + 31) / 16 * 16 | 16; }

// Rows of all tables, or some columns of them, for some tokens.
struct GatherPlan {
  const uint8_t* tables;  // the first column of the first table's first row
  int64_t table_bytes;    // from one table to the next
  int64_t row_bytes;      // from one row to the next
  int64_t columns;        // a multiple of kColumns..., at most kMaxColumns, in float32 at most kSlabColumns
  int32_t num_tables;
  int32_t num_probes;
  const uint16_t* codes;       // of the first token, as HashOutput's
  const float* scores;         // f32 and bf16; also int8 with more than one probe
  const uint8_t* score_bytes;  // gather_int8: what quantise_scores made of the scores, in their order
  const PickOutput* picks;     // gather_picked, instead of the four above
  int64_t stride;              // entries from one token to the next
  int64_t num_tokens;
  const float* bias;               // [columns]
  const float* score_byte_scales;  // gather_int8: [num_tokens]
  const float* row_scales;         // gather_int8_scores: [num_tables][table_size]
  int64_t table_size;              // rows of a table
  float* y;
  int64_t y_stride;
  int64_t y_columns;  // at most `columns`
  bool add;           // y += instead of y =

  float* sums;             // f32: [num_tokens][columns]
  int32_t tables_at_once;  // gather_f32_many: the rows of so many tables leave room in the cache for as many others
};

constexpr int64_t kSlabColumns = 64, kMaxColumns = 2048;
// A row's columns are padded to a multiple of this.
constexpr int32_t kColumnsF32 = 16, kColumnsBf16 = 32, kColumnsInt8 = 64;

// A product of rows with a matrix in panels, as in a linear layer: out = activation(in * weights + bias).
enum class Activation : int32_t { kNone, kGelu, kTanh, kGeluTanh, kRelu, kSigmoid, kSilu };
struct LinearPlan {
  const float* in;  // [rows][inputs], in_stride floats apart
  int64_t in_stride;
  int64_t rows;
  int64_t inputs;
  const float* weights;  // [panels][inputs][kPanel]
  const float* bias;     // padded to whole panels
  int64_t outputs;       // at most what the panels hold
  Activation activation;
  bool add;  // out += instead of out =; without an activation then
  float* out;
  int64_t out_stride;
};
// How many bits the numbers have in a row that quantise_rows made. kSevenOfMany: seven, in a call with more rows than
// kFewSevenBits, which AVX2 multiplies in another way, with the same results. kWords: eight, as score_words wants them.
enum class RowBits : int32_t { kEight, kSeven, kSevenOfMany, kWords };
constexpr int64_t kFewSevenBits = 24;
// The same with int8 weights and such rows. Of `linear`, only `in` and `weights` are not used.
struct LinearInt8Plan {
  LinearPlan linear;
  RowBits bits;
  const int32_t* in;  // [rows], in_stride apart
  int64_t in_stride;
  const int8_t* weights;       // [panels][fours of inputs][kPanel][4], the weights of four inputs side by side
  const float* weight_scales;  // padded to whole panels
  const int32_t* weight_sums;  // of an output's weights, for each slice of the inputs
  int64_t sums_stride;         // from slice to slice
};

// Sums stay in int32 for a slice of so many inputs; the slices' results are added as floats.
constexpr int64_t kSliceInputs = 65536;

// A row of integers begins with its scale, its zero point, and its outlier with the index, or 0. Its numbers, in the
// kernels' own order, begin after this many cells of four bytes. They take half a cell each, rounded up to 16 cells.
constexpr int64_t kRowHeader = 16;

// Products of rows with the vectors of words, which are used as they lie: out = in * words + bias.
enum class WordKind : int32_t { kF32, kBf16, kInt8 };
struct WordsPlan {
  WordKind kind;
  const void* words;    // [num_words in whole panels][word_stride], zeros behind each word
  int64_t word_stride;  // numbers from one word to the next, a multiple of kPartialSums, of kWordStepInt8 for int8
  int64_t num_words;
  const float* word_scales;  // int8 only: padded to whole panels, as are the next two
  const int32_t* word_sums;  // int8 only
  const float* bias;
  const float* in;         // [rows][word_stride], zeros behind each row; not for int8
  const int32_t* in_int8;  // int8 only: rows that quantise_rows made for words
  int64_t in_stride;
  int64_t rows;
  float* out;
  int64_t out_stride;
};
constexpr int64_t kWordStepInt8 = 64;

// Rows that words choose, as they lie in a file, for some tokens: out += row(id).
enum class WordRowKind : int32_t { kF32, kF16, kBf16, kInt8, kInt4 };
struct WordRowsPlan {
  WordRowKind kind;
  const uint8_t* rows;
  int64_t row_bytes;
  const float* scales;  // one for each row of int8 or int4; else nullptr
  int64_t columns;
  const int32_t* ids;          // [tokens]
  const int32_t* row_of_word;  // nullptr: a word's row has its number
  int64_t tokens;
  bool asked;  // all of these rows were prefetched, so that they need not be here
  float* out;
  int64_t out_stride;
};

// Rows of one call that share each panel while it is in the L1 cache.
constexpr int64_t kLinearRows = 96;

// One head's attention of some queries to all keys of their sequence.
struct AttentionPlan {
  const float* queries;  // of the first query; rows are `stride` floats apart, as are keys and values
  const float* keys;
  const float* values;
  int64_t stride;
  int64_t first_query;  // its number in its sequence
  int64_t num_queries;
  int64_t num_keys;  // at least 1
  int64_t head_size;
  float scale;
  bool packed;            // the scratch still has these keys and values from a call before
  bool limited;           // a query sees only keys that are
  int64_t before, after;  // at most so far before and after it; itself always
  float* out;
  int64_t out_stride;

  // What the distance of a key from a query adds to their product; nullptr: nothing.
  const float* by_distance;  // at [key - query], with room for kPanel more
  const int32_t* places;     // at [key - query], monotone: a row of the two below, 0 to num_places - 1
  int64_t num_places;
  const float* place_keys;     // panels of [num_places][head_size], which queries are multiplied with
  const float* place_queries;  // the same, keys
};

// For two vectors: the sum of the products of their numbers, and the sum of the second one's squares.
struct TwoVectors {
  double ab, bb;
};

struct ScanPlan;  // in search_plans.h, with the next two
struct ManyPlan;
struct SelectPlan;

// The kernels of an instruction set, by parts that are compiled one by one (parts/). Some sets have only parts that
// multiply bytes, and take the others from another set.
struct HashKernels {
  int32_t lanes;        // tokens of the narrowest tile
  int32_t tile_tokens;  // tokens of the widest tile, a multiple of lanes

  // Up to tile_tokens tokens. Results land at token indices 0...
  void (*hash_tile)(const HashPlan& plan, const float* x, int64_t x_stride, int32_t num_tokens, HashOutput out,
                    void* scratch);
  // One token, outputs side by side: faster than a tile for very few tokens. Not for a dense int8 projection.
  void (*hash_token)(const HashPlan& plan, const float* x, HashOutput out, void* scratch);
};

struct HashInt8Kernels {
  // How an int8 hash wants its weights, see HashPlan.
  int32_t hash_cell_inputs;  // 4: int8, 2: int16
  int32_t hash_outputs;
  bool dense_tiles;  // a dense projection's weight_cells are wanted
  // Bytes of scratch that all hash kernels need.
  size_t (*hash_scratch)(const HashPlan& plan);
  // As hash_tile and hash_token, for HashArithmetic::kInt8.
  void (*hash_tile_int8)(const HashPlan& plan, const float* x, int64_t x_stride, int32_t num_tokens, HashOutput out,
                         void* scratch);
  void (*hash_token_int8)(const HashPlan& plan, const float* x, HashOutput out, void* scratch);
  void (*gather_int8)(const GatherPlan& plan);  // integer sums of score bytes * rows
};

struct GatherKernels {
  void (*gather_f32)(const GatherPlan& plan);
  void (*gather_f32_many)(const GatherPlan& plan);  // the same sums, where tokens want nearly every row
  void (*gather_bf16)(const GatherPlan& plan);
  void (*gather_int8_scores)(const GatherPlan& plan);  // float sums of scores * int8 rows, for scores of either sign

  // Makes the bytes for gather_int8 from scores times row_scales[table][code], one for each entry in the scores' order,
  // and one scale per token. Entries past the last table, up to a whole group, get 0. The scores are overwritten.
  void (*quantise_scores)(const HashOutput& hashed, int32_t num_tables, const float* row_scales, int32_t table_size,
                          int32_t num_tokens, uint8_t* score_bytes, float* score_byte_scales);
  // At which byte of a row gather_int8 wants a column; 64 columns further the same plus 64.
  int32_t (*int8_position)(int32_t column);
  void (*add_word_rows)(const WordRowsPlan& plan);
};

struct LinearKernels {
  void (*linear)(const LinearPlan& plan);
  // matrix[outputs][inputs], its rows `stride` floats apart -> panels, outputs beyond the matrix zero.
  void (*lay_panels)(const float* matrix, int64_t stride, int64_t outputs, int64_t inputs, float* panels);
  // bfloat16 to float32; count is a multiple of kPanel.
  void (*widen)(const uint16_t* numbers, int64_t count, float* out);
  // The layer norm of each row; in and out may be the same.
  void (*normalise)(const NormPlan& plan, const float* in, int64_t in_stride, int64_t rows, float* out,
                    int64_t out_stride);
  // Rows of two halves: the first half becomes the product of both, after half `activated` (0 or 1) went through the
  // activation.
  void (*gate)(Activation activation, int activated, float* rows, int64_t stride, int64_t count, int64_t half);
};

struct LinearInt8Kernels {
  void (*linear_int8)(const LinearInt8Plan& plan);
  // Rows as bytes, each with its own scale and zero point.
  void (*quantise_rows)(const float* in, int64_t in_stride, int64_t rows, int64_t inputs, int32_t* out,
                        int64_t out_stride, RowBits bits);
  void (*score_words)(const WordsPlan& plan);
  void (*multiply_many)(const ManyPlan& plan);  // of a search: rows of int8 with many queries
};

struct AttentionKernels {
  // Bytes of scratch that attend needs: in proportion to the number of keys. num_places: 0 without any.
  size_t (*attention_scratch)(int64_t num_keys, int64_t head_size, int64_t num_places);
  void (*attend)(const AttentionPlan& plan, void* scratch);
};

// The same in int8; without anything that distances add.
struct AttentionInt8Kernels {
  size_t (*attention_int8_scratch)(int64_t num_keys, int64_t head_size);
  void (*attend_int8)(const AttentionPlan& plan, void* scratch);
};

struct SearchKernels {
  // For vectors that begin anywhere; the sums of int8 are exact.
  TwoVectors (*compare_f32)(const float* a, const float* b, int64_t size);
  TwoVectors (*compare_int8)(const int8_t* a, const int8_t* b, int64_t size);
  int64_t (*different_bits)(const uint8_t* a, const uint8_t* b, int64_t bytes);
  // Scans multiply or compare rows with few queries; select_scores finds which scores are of use and returns the number
  // of hits.
  void (*scan_f32)(const ScanPlan& plan);
  void (*scan_int8)(const ScanPlan& plan);
  void (*scan_bits)(const ScanPlan& plan);
  int64_t (*select_scores)(const SelectPlan& plan);
};

// Kernels for a CPU that can pick bytes from a whole register by as many indices, and count its bits.
struct PickKernels {
  // The sums of gather_int8 for tables of at most kPickRows rows and kTablesInt8 tables, which lie as
  // [columns / kPickColumns][groups][kPickColumns][table of the group][kPickRows]: `tables` points to the plan's first
  // column, a multiple of kPanel, and there are whole panels of columns.
  void (*gather_picked)(const GatherPlan& plan);
  void (*scan_bits)(const ScanPlan& plan);  // as SearchKernels'
};

struct Kernels : HashKernels,
                 HashInt8Kernels,
                 GatherKernels,
                 LinearKernels,
                 LinearInt8Kernels,
                 AttentionKernels,
                 AttentionInt8Kernels,
                 SearchKernels {
  const char* name;
  const char* floats;                             // the name of the set that the parts of floats come from
  void (*gather_picked)(const GatherPlan& plan);  // as PickKernels'; nullptr: this CPU gathers rows
};

// The table in use: the best that the CPU has, or the one that LOOKUPFFN_ISA names. Throws Error if that one cannot be
// used.
const Kernels& kernels();
// The same for a handle. Throws Error also if the environment asks for anything else that is impossible.
const Kernels& usable_kernels();

// The best that the CPU has, or the one of that name unless it is "". Throws Error that names the setting.
const Kernels& choose_kernels(const char* wanted, const char* setting);

// The kernels of that name, or nullptr if this build or this CPU has none. For tests too.
const Kernels* find_kernels(const char* name);

// The names of all that there are, on any processor, the best first; and whether this build has them.
constexpr const char* kKernelNames[] = {"avx512vbmi", "avx512vnni", "avx512",  "avxvnni", "avx2",
                                        "baseline",   "neoni8mm",   "neondot", "neon",    "generic"};
bool built_kernels(const char* name);

}  // namespace lffn

// SPDX-License-Identifier: Apache-2.0
// Layers that are not all alike: narrow ones, fewer heads, none at all, and rows by word of every element type.
#include "student_folder.h"
#include "tests/kernels/all_kernels.h"

namespace lffn {
namespace {

TEST(Students, EveryElementTypeGivesTheSameRows) {
  const std::vector<float> expected = hidden_of(*Student("F32").load());
  for (const char* dtype : {"F16", "BF16", "I8", "U8"}) EXPECT_EQ(hidden_of(*Student(dtype).load()), expected) << dtype;
  Student without("F32");
  without.configure("[true, true]", "[false, false]");
  for (const char* layer : {"0.FFN.words", "1.FFN.words"}) without.remove(kLayers + layer);
  EXPECT_NE(hidden_of(*without.load()), expected);
}

TEST(Students, WordsMayShareRows) {
  Student shared("I8", kShared), apart("I8");
  for (int layer = 0; layer < 2; ++layer) {
    const std::string name = kLayers + std::to_string(layer) + ".FFN.words";
    const MadeTensor few = shared.tensor(name), scales = shared.tensor(name + ".scale");
    std::string all, all_scales;
    for (int word = 0; word < kWords; ++word) {
      all += few.data.substr(static_cast<size_t>(word % kShared * kSize), kSize);
      all_scales += scales.data.substr(static_cast<size_t>(word % kShared) * sizeof(float), sizeof(float));
    }
    apart.tensor(name).data = all;
    apart.tensor(name + ".scale").data = all_scales;
  }
  EXPECT_EQ(hidden_of(*shared.load()), hidden_of(*apart.load()));
}

TEST(Students, BatchesAndThreadsGiveTheSameBits) {
  const Student folder("U8");
  ModelLoadOptions one, two;
  one.num_threads = 1;
  two.num_threads = 2;
  const auto model = folder.load(one);
  const std::vector<float> together = hidden_of(*model);
  EXPECT_EQ(hidden_of(*folder.load(two)), together);
  const SomeIds all;
  std::vector<float> apart;
  for (size_t s = 0; s + 1 < all.offsets.size(); ++s) {
    SomeIds alone;
    alone.ids.assign(all.ids.begin() + all.offsets[s], all.ids.begin() + all.offsets[s + 1]);
    std::vector<float> hidden(alone.ids.size() * kSize);
    ModelCall call;
    const std::vector<int64_t> offsets = {0, static_cast<int64_t>(alone.ids.size())};
    call.ids = alone.ids.data();
    call.offsets = offsets.data();
    call.num_sequences = 1;
    call.hidden = hidden.data();
    model->run(call);
    apart.insert(apart.end(), hidden.begin(), hidden.end());
  }
  EXPECT_EQ(apart, together);
}

class SavedStudents : public InFolder {};

TEST_F(SavedStudents, GiveTheSameBitsReadMappedAndOnEveryInstructionSet) {
  for (const char* dtype : {"F32", "F16", "BF16", "I8", "U8"}) {
    const auto model = Student(dtype, kShared).load();
    const std::vector<float> expected = hidden_of(*model);
    model->save(path("saved"));
    ModelLoadOptions mapping;
    mapping.map_file = true;
    const auto read = load_model(path("saved"), ModelLoadOptions(), usable_kernels());
    const auto mapped = load_model(path("saved"), mapping, usable_kernels());
    EXPECT_EQ(hidden_of(*read), expected) << dtype;
    EXPECT_EQ(hidden_of(*mapped), expected) << dtype;
    EXPECT_LT(mapped->info().memory_bytes, read->info().memory_bytes) << dtype;
    EXPECT_EQ(mapped->info().file_bytes, read->info().file_bytes) << dtype;
    mapped->save(path("twice"));
    EXPECT_EQ(content_of(path("twice")), content_of(path("saved"))) << dtype;
    for (const Kernels* kernels : all_kernels()) {
      if (!has_fma(*kernels) || !has_fma(usable_kernels())) continue;
      EXPECT_EQ(hidden_of(*load_model(path("saved"), ModelLoadOptions(), *kernels)), expected)
          << dtype << kernels->name;
    }
  }
}

TEST(Students, WhatDoesNotFitIsRefusedByName) {
  const auto refused = [](const std::string& part, const std::function<void(Student&)>& change) {
    Student folder("I8", kShared);
    change(folder);
    folder.refused(LFFN_ERROR_BAD_MODEL, part);
  };
  refused("'intermediate_size' has 1 entries", [](Student& s) { s.configure("[24, 0]", "[24]"); });
  refused("num_attention_heads", [](Student& s) { s.configure("[2, 0]", "[2, -1]"); });
  refused("num_attention_heads", [](Student& s) { s.configure("[2, 0]", "[2, 1.5]"); });
  refused("attention_head_size", [](Student& s) { s.configure(", \"attention_head_size\": 8", ""); });
  refused("ffn_words", [](Student& s) { s.configure("[true, true]", "[true, 1]"); });
  refused("'ffn_words' has 1 entries", [](Student& s) { s.configure("[true, true]", "[true]"); });
  refused("layer.1.FFN.words", [](Student& s) { s.configure("[true, true]", "[true, false]"); });
  refused("layer.1.FFN.words", [](Student& s) { s.remove(kLayers + "1.FFN.words"); });
  refused("embeddings.word_rows", [](Student& s) { s.remove("roberta.embeddings.word_rows"); });
  refused("ffn_kinds", [](Student& s) { s.configure("\"none\"", "\"nothing\""); });
  refused("layer.0.attention.self.query", [](Student& s) { s.configure("[2, 0]", "[3, 0]"); });
  refused("ffn_word_rows", [](Student& s) { s.configure("\"ffn_word_rows\": 40", "\"ffn_word_rows\": 0"); });
  for (const int32_t row : {-1, kShared}) {
    refused("embeddings.word_rows: element 7 is " + std::to_string(row), [&](Student& s) {
      std::memcpy(s.tensor("roberta.embeddings.word_rows").data.data() + 7 * sizeof row, &row, sizeof row);
    });
  }
  refused("FFN.words.scale: element 3 is not a finite number", [](Student& s) {
    const float infinite = INFINITY;
    std::memcpy(s.tensor(kLayers + "0.FFN.words.scale").data.data() + 3 * sizeof infinite, &infinite, sizeof infinite);
  });
}

// Two rows of every element type, with columns that end anywhere.
TEST(WordRows, AreAddedByEveryInstructionSet) {
  for (const int64_t columns : {1, 2, 3, 47, 64, 65, 127, 128, 129, 258}) {
    std::vector<float> values;
    std::vector<uint8_t> int8s, int4s;
    std::vector<uint16_t> halves;
    for (int64_t i = 0; i < 2 * columns; ++i) {
      const int number = static_cast<int>(i * 11 % 16) - 8;
      values.push_back(static_cast<float>(number) / 4);
      int8s.push_back(static_cast<uint8_t>(number));
      halves.push_back(half_of(values.back()));
      const int64_t row = i / columns, column = i % columns;
      int4s.resize(static_cast<size_t>((row + 1) * ((columns + 1) / 2)));
      int4s[static_cast<size_t>(row * ((columns + 1) / 2) + column / 2)] |=
          static_cast<uint8_t>((number + 8) << (column % 2 * 4));
    }
    const float scales[] = {0.25f, 0.25f};
    const int32_t ids[] = {1, 0, 1};
    for (const Kernels* kernels : all_kernels()) {
      for (const WordRowKind kind : {WordRowKind::kF32, WordRowKind::kF16, WordRowKind::kInt8, WordRowKind::kInt4}) {
        const bool floats = kind == WordRowKind::kF32, half = kind == WordRowKind::kF16;
        WordRowsPlan plan = {};
        plan.kind = kind;
        plan.rows = floats                       ? reinterpret_cast<const uint8_t*>(values.data())
                    : half                       ? reinterpret_cast<const uint8_t*>(halves.data())
                    : kind == WordRowKind::kInt8 ? int8s.data()
                                                 : int4s.data();
        plan.row_bytes = floats                       ? 4 * columns
                         : half                       ? 2 * columns
                         : kind == WordRowKind::kInt8 ? columns
                                                      : (columns + 1) / 2;
        plan.scales = floats || half ? nullptr : scales;
        plan.columns = columns;
        plan.ids = ids;
        plan.tokens = 3;
        std::vector<float> out(static_cast<size_t>(3 * (columns + 1)), 0.5f);
        plan.out = out.data();
        plan.out_stride = columns + 1;
        kernels->add_word_rows(plan);
        for (int64_t t = 0; t < 3; ++t) {
          for (int64_t c = 0; c < columns; ++c) {
            ASSERT_EQ(out[static_cast<size_t>(t * (columns + 1) + c)],
                      0.5f + values[static_cast<size_t>(ids[t] * columns + c)])
                << kernels->name << ' ' << columns << ' ' << static_cast<int>(kind);
          }
          ASSERT_EQ(out[static_cast<size_t>(t * (columns + 1) + columns)], 0.5f) << "nothing is written behind a row";
        }
      }
    }
  }
}

// Every finite number of 16 bits, denormals among them.
TEST(WordRows, ReadHalves) {
  for (const Kernels* kernels : all_kernels()) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      if ((bits & 0x7c00) == 0x7c00) continue;
      const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
      const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                            : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
      const auto half = static_cast<uint16_t>(bits);
      const int32_t id = 0;
      float out = 0;
      WordRowsPlan plan = {};
      plan.kind = WordRowKind::kF16;
      plan.rows = reinterpret_cast<const uint8_t*>(&half);
      plan.row_bytes = 2;
      plan.columns = plan.tokens = 1;
      plan.ids = &id;
      plan.out = &out;
      plan.out_stride = 1;
      kernels->add_word_rows(plan);
      ASSERT_EQ(out, bits & 0x8000 ? -magnitude : magnitude) << kernels->name << ' ' << bits;
    }
  }
}

}  // namespace
}  // namespace lffn

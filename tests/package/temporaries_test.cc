// SPDX-License-Identifier: Apache-2.0
// What the C++ header takes of temporaries: values, or it does not compile. The rest is run under AddressSanitizer.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lookupffn/lookupffn.hpp"

namespace {

using lookupffn::List;
using lookupffn::Model;
using lookupffn::RunOptions;
using lookupffn::Texts;
using lookupffn::Tokenizer;

// Whether an expression compiles with such an object: CALLS(name, expression with `object`).
#define CALLS(name, expression)                                                                      \
  template <typename Object, typename = void>                                                        \
  struct name : std::false_type {};                                                                  \
  template <typename Object>                                                                         \
  struct name<Object, std::void_t<decltype(static_cast<Object>(std::declval<Object>()).expression)>> \
      : std::true_type {}

CALLS(Gets, get());
CALLS(Shows, get(lookupffn::out::embeddings));
CALLS(Views, view());
CALLS(Configs, config());
CALLS(Labels, label(0));
CALLS(Prompts, prompt("query"));
CALLS(Spells, token(0));
CALLS(Points, address());
CALLS(Adds, add("a text"));

// Of an object that lives on, and of a temporary one.
template <template <typename...> class Call, typename Object>
constexpr bool kOnlyOfWhatLives =
    Call<Object&>::value&& Call<const Object&>::value && !Call<Object>::value && !Call<const Object>::value;

static_assert(kOnlyOfWhatLives<Gets, Model> && kOnlyOfWhatLives<Gets, Tokenizer>);
static_assert(kOnlyOfWhatLives<Gets, lookupffn::Layer> && kOnlyOfWhatLives<Gets, lookupffn::Result>);
static_assert(kOnlyOfWhatLives<Gets, lookupffn::Runtime>);
static_assert(kOnlyOfWhatLives<Shows, lookupffn::Result> && kOnlyOfWhatLives<Views, lookupffn::TokenBatch>);
static_assert(kOnlyOfWhatLives<Configs, Model> && kOnlyOfWhatLives<Labels, Model> && kOnlyOfWhatLives<Prompts, Model>);
static_assert(kOnlyOfWhatLives<Spells, Tokenizer> && kOnlyOfWhatLives<Points, lookupffn::CancelFlag>);
static_assert(std::is_reference_v<decltype(std::declval<Model&>().info())>);
static_assert(!std::is_reference_v<decltype(std::declval<Model>().info())>);
static_assert(!std::is_reference_v<decltype(std::declval<lookupffn::Layer>().info())>);

template <typename Options, typename = void>
struct MakesArguments : std::false_type {};
template <typename Options>
struct MakesArguments<Options, std::void_t<decltype(Model::arguments(std::declval<Options>()))>> : std::true_type {};
static_assert(MakesArguments<RunOptions&>::value && !MakesArguments<RunOptions>::value, "they point to the prompt");

template <typename... Strings>
struct Appends {
  template <typename Object>
  static auto with(int) -> decltype(std::declval<Object>().add(std::declval<Strings>()...), std::true_type());
  template <typename Object>
  static std::false_type with(...);
  static constexpr bool value = decltype(with<Texts&>(0))::value;
};
static_assert(Appends<const char*>::value && Appends<std::string&>::value && Appends<std::string_view>::value);
static_assert(Appends<const std::string&, const char*>::value);
static_assert(!Appends<std::string>::value && !Appends<const std::string>::value);
static_assert(!Appends<std::string, std::string&>::value && !Appends<const char*, std::string>::value);

// Each call that gives something for several texts.
template <typename Values>
constexpr bool kGivesValues = !std::is_reference_v<decltype(std::declval<Values>()[0])> &&
                              !std::is_reference_v<decltype(std::declval<Values>().at(0))> &&
                              !std::is_reference_v<decltype(std::declval<Values>().front())> &&
                              !std::is_reference_v<decltype(std::declval<Values>().back())> &&
                              std::is_lvalue_reference_v<decltype(std::declval<Values&>()[0])> &&
                              std::is_lvalue_reference_v<decltype(std::declval<const Values&>()[0])>;
static_assert(kGivesValues<decltype(std::declval<const Model&>().embed_windows({""}))>);
static_assert(kGivesValues<decltype(std::declval<const Model&>().embed_windows({""})[0])>);
static_assert(kGivesValues<decltype(std::declval<const Model&>().entities({""}))>);
static_assert(kGivesValues<decltype(std::declval<const Model&>().entities({""})[0])>);
static_assert(kGivesValues<decltype(std::declval<const Model&>().fill_mask("", 1))>);
static_assert(kGivesValues<decltype(std::declval<const Model&>().fill_mask("", 1)[0])>);
static_assert(kGivesValues<decltype(std::declval<const Model&>().embed_sparse({""}))>);
static_assert(kGivesValues<decltype(std::declval<const Model&>().token_vectors({""}))>);
static_assert(kGivesValues<decltype(std::declval<const Model&>().count_tokens({""}))>);
static_assert(kGivesValues<decltype(std::declval<const Model&>().answer("", ""))>);
static_assert(kGivesValues<decltype(std::declval<const Model&>().zero_shot("", {}))>);
static_assert(kGivesValues<decltype(std::declval<const Tokenizer&>().encode_batch({""}))>);
static_assert(kGivesValues<decltype(std::declval<const Tokenizer&>().decode_batch({}))>);

Model small_model() { return Model::load(LFFN_MODEL_DATA "/model-lookup"); }

TEST(Temporaries, LoopsWalkOverWhatTheyKeep) {
  const Model model = small_model();
  RunOptions options;
  options.max_tokens = 8;
  const std::string document = "One two three four five six seven eight nine ten eleven twelve.";
  const auto windows = model.embed_windows({document}, options);
  ASSERT_GT(windows[0].size(), 1U);
  std::size_t place = 0;
  for (const lookupffn::Window& window : model.embed_windows({document}, options)[0]) {
    EXPECT_EQ(window.embedding, windows[0][place].embedding) << place;
    ++place;
  }
  EXPECT_EQ(place, windows[0].size());
  place = 0;
  for (const float number : model.embed_windows({document}, options).at(0).back().embedding) {
    EXPECT_EQ(number, windows[0].back().embedding[place]) << place;
    ++place;
  }
  const Tokenizer tokenizer = model.tokenizer();
  const std::vector<std::int32_t> ids = tokenizer.encode(document).ids;
  place = 0;
  for (const std::int32_t id : tokenizer.encode_batch({document}).front().ids) EXPECT_EQ(id, ids[place++]);
  const lookupffn::TokenCount& count = model.count_tokens({document})[0];
  EXPECT_EQ(count.uncut, static_cast<std::int64_t>(ids.size()));
}

TEST(Temporaries, ListsAreVectors) {
  List<std::string> list = {"a", "b"};
  list[0] += "c";
  list.at(1) += "d";
  EXPECT_EQ(list, (std::vector<std::string>{"ac", "bd"}));
  const std::vector<std::string> vector = std::move(list);
  EXPECT_EQ(vector.back(), "bd");
  EXPECT_THROW(List<std::string>().at(0), std::out_of_range);
}

TEST(Temporaries, TextsKeepATemporaryVector) {
  const Model model = small_model();
  const std::string word = "a text that is too long for a string to hold it by itself";
  const Texts given(std::vector<std::string>{word + "!", word + "?"});
  Texts copy;
  copy = given;
  EXPECT_EQ(model.embed(copy), model.embed({word + "!", word + "?"}));
}

TEST(Temporaries, PairsAreKept) {
  const Tokenizer tokenizer = small_model().tokenizer();
  const std::string word = "a text that is too long for a string to hold it by itself";
  lookupffn::TokenizeOptions options;
  options.pair = word + "!";
  const std::string pair = word + "!";
  Texts texts;
  texts.add("one", pair);
  EXPECT_EQ(tokenizer.encode("one", options).ids, tokenizer.encode_batch(texts)[0].ids);
}

TEST(Temporaries, InfosOfTemporariesAreCopies) {
  const lookupffn::ModelInfo& info = small_model().info();
  const lookupffn::ModelInfo& again = small_model().info();
  EXPECT_EQ(info.hidden_size, again.hidden_size);
}

}  // namespace

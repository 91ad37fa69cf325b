// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenizer_family.h"

#include <algorithm>
#include <iterator>

namespace lffn {
namespace {

constexpr const char* kEnd = "<|endoftext|>";

// Of roles: bos, eos, unk, sep, pad, cls, mask.
constexpr TokenizerFamily kFamilies[] = {
    {"bert",
     {"BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer", "MobileBertTokenizer", "ConvBertTokenizer",
      "SqueezeBertTokenizer", "LayoutLMTokenizer", "LxmertTokenizer", "DPRQuestionEncoderTokenizer",
      "DPRContextEncoderTokenizer"},
     {"bert", "distilbert", "electra", "mobilebert", "convbert", "squeezebert", "layoutlm", "lxmert", "dpr", "ernie",
      "megatron-bert", "nezha", "visual_bert"},
     VocabularyFiles::kVocabTxt,
     {"", "", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"},
     Around::kBert},
    {"mpnet",
     {"MPNetTokenizer"},
     {"mpnet"},
     VocabularyFiles::kVocabTxt,
     {"<s>", "</s>", "[UNK]", "</s>", "<pad>", "<s>", "<mask>"},
     Around::kMpnet,
     true},
    {"roberta",
     {"RobertaTokenizer", "LongformerTokenizer", "BartTokenizer", "LEDTokenizer", "MvpTokenizer"},
     {"roberta", "roberta-prelayernorm", "longformer", "bart", "led", "mvp", "ibert", "data2vec-text", "mra"},
     VocabularyFiles::kVocabAndMerges,
     {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"},
     Around::kRoberta,
     true},
    {"xlm-roberta",
     {"XLMRobertaTokenizer"},
     {"xlm-roberta", "xlm-roberta-xl"},
     VocabularyFiles::kSentencePiece,
     {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"},
     Around::kRoberta,
     true},
    {"camembert",
     {"CamembertTokenizer"},
     {"camembert"},
     VocabularyFiles::kSentencePiece,
     {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"},
     Around::kRoberta,
     true},
    {"deberta-v2",
     {"DebertaV2Tokenizer"},
     {"deberta-v2", "deberta-v3"},
     VocabularyFiles::kSentencePiece,
     {"[CLS]", "[SEP]", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"},
     Around::kBert},
    {"albert",
     {"AlbertTokenizer"},
     {"albert"},
     VocabularyFiles::kSentencePiece,
     {"[CLS]", "[SEP]", "<unk>", "[SEP]", "<pad>", "[CLS]", "[MASK]"},
     Around::kBert,
     true},
    {"big_bird",
     {"BigBirdTokenizer"},
     {"big_bird"},
     VocabularyFiles::kSentencePiece,
     {"<s>", "</s>", "<unk>", "[SEP]", "<pad>", "[CLS]", "[MASK]"},
     Around::kBert,
     true},
    {"t5",
     {"T5Tokenizer", "MT5Tokenizer"},
     {"t5", "mt5", "umt5"},
     VocabularyFiles::kSentencePiece,
     {"", "</s>", "<unk>", "</s>", "<pad>", "", ""},
     Around::kEndOnly},
    {"deberta",
     {"DebertaTokenizer"},
     {"deberta"},
     VocabularyFiles::kNone,
     {"[CLS]", "[SEP]", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"},
     Around::kBert,
     true},
    {"gpt2",
     {"GPT2Tokenizer", "CodeGenTokenizer", "GPTNeoXTokenizer"},
     {"gpt2", "gpt_neo", "gptj", "codegen", "gpt_neox"},
     VocabularyFiles::kNone,
     {kEnd, kEnd, kEnd, "", "", "", ""}},
    {"qwen2", {"Qwen2Tokenizer"}, {"qwen2", "qwen3"}, VocabularyFiles::kNone, {"", kEnd, kEnd, "", kEnd, "", ""}},
    {"llama",
     {"LlamaTokenizer", "CodeLlamaTokenizer"},
     {"llama", "mistral"},
     VocabularyFiles::kNone,
     {"<s>", "</s>", "<unk>", "", "", "", ""}},
    {"gemma",
     {"GemmaTokenizer"},
     {"gemma", "gemma2", "gemma3", "gemma3_text"},
     VocabularyFiles::kNone,
     {"<bos>", "<eos>", "<unk>", "", "<pad>", "", ""}},
    {"bloom", {"BloomTokenizer"}, {"bloom"}, VocabularyFiles::kNone, {"<s>", "</s>", "<unk>", "", "<pad>", "", ""}}};

template <size_t kCount>
bool holds(const std::string_view (&all)[kCount], std::string_view one) {
  return !one.empty() && std::find(std::begin(all), std::end(all), one) != std::end(all);
}

const TokenizerFamily* family_of_class(std::string_view name) {
  constexpr std::string_view kFast = "Fast";
  if (name.size() > kFast.size() && name.substr(name.size() - kFast.size()) == kFast) name.remove_suffix(kFast.size());
  const auto* const found = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                                         [&](const auto& family) { return holds(family.classes, name); });
  return found != std::end(kFamilies) ? found : nullptr;
}

}  // namespace

FamilyChoice choose_family(const JsonSettings& tokenizer_config, const std::optional<std::string_view>& config) {
  constexpr char kClass[] = "/tokenizer_class";
  FamilyChoice choice;
  choice.class_name = tokenizer_config.text(kClass);
  choice.where = tokenizer_config.where();
  if (choice.class_name.empty() && config) {
    const JsonSettings settings = read_json_settings(*config, "config.json", nullptr);
    choice.class_name = settings.text(kClass);
    choice.where = settings.where();
    if (choice.class_name.empty()) {
      const std::string type = settings.text("/model_type");
      const auto* const found = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                                             [&](const auto& family) { return holds(family.types, type); });
      if (found != std::end(kFamilies)) choice.family = found;
      return choice;
    }
  }
  choice.family = family_of_class(choice.class_name);
  return choice;
}

const TokenizerFamily& family_named(std::string_view name) {
  return *std::find_if(std::begin(kFamilies), std::end(kFamilies),
                       [&](const auto& family) { return family.name == name; });
}

bool is_plain_class(std::string_view name) {
  return name == "PreTrainedTokenizerFast" || name == "PreTrainedTokenizer" || name == "TokenizersBackend";
}

}  // namespace lffn

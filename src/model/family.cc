#include "model/family.h"

namespace lffn {

const Family* find_family(std::string_view name) {
  for (const Family* family : {&kBert, &kRoberta, &kDistilBert, &kRobertaPreLayerNorm, &kAuthors}) {
    if (name == family->name) return family;
  }
  return nullptr;
}

const char* family_names() { return "bert, roberta, distilbert, roberta-prelayernorm"; }

}  // namespace lffn

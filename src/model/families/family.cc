// SPDX-License-Identifier: Apache-2.0
#include "model/families/family.h"

#include "format/utf8.h"

namespace lffn {
namespace {

constexpr const Family* kFamilies[] = {
    &kBert,   &kRoberta,  &kXlmRoberta, &kCamembert,  &kXlmRobertaXl, &kDistilBert, &kRobertaPreLayerNorm,
    &kMpnet,  &kElectra,  &kDebertaV2,  &kModernBert, &kNomicBert,    &kGte,        &kNew,
    &kJinaV3, &kEuroBert, &kQwen3,      &kGemma3,     &kAuthors};

}  // namespace

const Family* find_family(std::string_view name, bool rotates) {
  if (rotates && name == kXlmRobertaRotary.name) return &kXlmRobertaRotary;
  for (const Family* family : kFamilies) {
    if (name == family->name) return family;
  }
  return nullptr;
}

const Family* find_architecture(std::string_view name) {
  for (const Family* family : kFamilies) {
    for (const char* start : family->architectures) {
      if (start != nullptr && starts_with(name, start)) return family;
    }
  }
  return nullptr;
}

std::string family_names() {
  std::string names;
  for (const Family* family : kFamilies) {
    if (family != &kAuthors) names += std::string(names.empty() ? "" : ", ") + family->name;
  }
  return names;
}

}  // namespace lffn

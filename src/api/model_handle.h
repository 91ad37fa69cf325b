// What a handle of a model is, for the functions on ids and those on text.
#pragma once

#include <memory>

#include "model/model.h"

struct lffn_model {
  std::unique_ptr<const lffn::Model> model;
};

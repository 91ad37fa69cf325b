/* lookupffn.hpp - the C++17 interface of liblookupffn, header-only over lookupffn.h
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * In short:
 *
 *     auto model = lookupffn::Model::load("my-model");
 *     std::vector<float> vectors = model.embed({"A man is eating.", "Someone has a meal."});
 *
 *     auto layer = lookupffn::Layer::load("layer.safetensors");
 *     std::vector<float> y = layer.forward(x);  // x: any contiguous container of floats, whole tokens
 *
 * A failure throws a class derived from lookupffn::Error, one per status. A function whose name begins with try_
 * returns the status instead, and try_call does so for any other function. Everything else is as in lookupffn.h: a
 * handle never changes once made, and any number of threads may use one at once.
 */
#ifndef LOOKUPFFN_LOOKUPFFN_HPP
#define LOOKUPFFN_LOOKUPFFN_HPP

#include "lookupffn/base.hpp"
#include "lookupffn/late.hpp"
#include "lookupffn/layer.hpp"
#include "lookupffn/model.hpp"
#include "lookupffn/model_tasks.hpp"
#include "lookupffn/model_texts.hpp"
#include "lookupffn/result.hpp"
#include "lookupffn/run.hpp"
#include "lookupffn/runtime.hpp"
#include "lookupffn/search.hpp"
#include "lookupffn/tasks.hpp"
#include "lookupffn/tokenizer.hpp"

#endif /* LOOKUPFFN_LOOKUPFFN_HPP */

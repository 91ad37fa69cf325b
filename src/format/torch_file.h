// SPDX-License-Identifier: Apache-2.0
// The tensors of PyTorch's own files, pytorch_model.bin and *.pt: a zip with a pickle, which is a program. Nothing of
// it is run: it is read as far as it names tensors, and refused where it asks for more.
#pragma once

#include <string>

#include "format/safetensors.h"

namespace lffn {

// A dict of tensors, as torch.save(model.state_dict(), ...) writes it since PyTorch 1.6, by their names in the order of
// their data. The views read from `file`, which must outlive them. Throws Error(LFFN_ERROR_BAD_MODEL) for a broken
// file. For one that holds anything else, or tensors that do not lie row by row, throws Error(LFFN_ERROR_UNSUPPORTED)
// with the lines of Python that make a safetensors file.
Safetensors parse_torch_file(const Bytes& file);

// Parses a file of weights as its name says: *.safetensors, else PyTorch's.
Safetensors parse_weights(const Bytes& file, const std::string& name);

}  // namespace lffn

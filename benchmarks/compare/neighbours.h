// SPDX-License-Identifier: Apache-2.0
// What calls cost while other processes keep the CPUs busy.
#pragma once

#include <string>

namespace compare {

// Times our int8 layer and ONNX Runtime's on a quiet machine, then beside so many spinning processes. Prints what it
// found and writes it to a file of JSON, unless `json` is empty.
void measure_neighbours(int neighbours, const std::string& json);

}  // namespace compare

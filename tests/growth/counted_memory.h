// SPDX-License-Identifier: Apache-2.0
// The memory of this process, as operator new and the library's allocator hand it out.
#pragma once

#include <cstddef>

namespace counted_memory {

// Bytes in use now, and the most since reset_peak().
size_t live();
size_t peak();
void reset_peak();
// All that was ever handed out, so that copies count that were soon gone.
size_t handed_out();

// Has the library's own blocks counted, too.
void count_blocks();

// Called before each allocation, with the number of those before; for what is to happen amid them. nullptr: nothing.
void on_allocation(void (*hook)(size_t number, void* user), void* user);

// The most that an action had beyond what was there before.
template <typename Action>
size_t peak_of(Action&& action) {
  const size_t before = live();
  reset_peak();
  action();
  return peak() - before;
}

}  // namespace counted_memory

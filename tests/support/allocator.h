// SPDX-License-Identifier: Apache-2.0
// An allocator of a test's functions.
#pragma once

#include "lookupffn/lookupffn.h"

inline lffn_allocator allocator_of(void* (*allocate)(size_t, size_t, void*), void (*deallocate)(void*, size_t, void*),
                                   void* user = nullptr) {
  lffn_allocator allocator;
  lffn_allocator_init(&allocator);
  allocator.allocate = allocate;
  allocator.deallocate = deallocate;
  allocator.user = user;
  return allocator;
}

// SPDX-License-Identifier: Apache-2.0
// The raw layer under the Java and the .NET package: static functions, handles as numbers, nothing public.
// raw.h and the other headers of that name say what the functions do.
%module Raw

%{
#include "raw.h"
#include "raw_model.h"
#include "raw_search.h"
%}

// Imported, not wrapped: for its types and for the version numbers in ABI_VERSION.
%include <stdint.i>
// Not lookupffn.h: SWIG does not follow what it includes.
%import <lookupffn/base.h>
%import <lookupffn/runtime.h>

#if defined(SWIGJAVA)
%rename("%(lowercamelcase)s", %$isfunction) "";
%include "java.i"
#elif defined(SWIGCSHARP)
%rename("%(camelcase)s", %$isfunction) "";
%include "csharp.i"
#endif
%include "abi_fields.h"
%include "raw.h"
%include "raw_model.h"
%include "raw_search.h"

// SPDX-License-Identifier: Apache-2.0
// .NET: handles are IntPtr, a status is an int, everything else is a pointer; every argument is blittable, so that the
// imports need no marshalling code and suit ahead-of-time compilation.
%pragma(csharp) moduleclassmodifiers="internal static unsafe class"
%pragma(csharp) imclassclassmodifiers="internal static unsafe class"
%include "enumsimple.swg"
%csconst(1);

%define %blittable(CTYPE, CSTYPE)
%typemap(ctype) CTYPE "$1_ltype"
%typemap(imtype) CTYPE "CSTYPE"
%typemap(cstype) CTYPE "CSTYPE"
%typemap(csin) CTYPE "$csinput"
%typemap(in) CTYPE %{ $1 = $input; %}
%typemap(out) CTYPE %{ $result = $1; %}
%typemap(csout, excode="") CTYPE { return $imcall; }
%enddef
%blittable(const lffn_layer*, global::System.IntPtr)
%blittable(lffn_layer*, global::System.IntPtr)
%blittable(lffn_layer**, global::System.IntPtr*)
%blittable(const lffn_model*, global::System.IntPtr)
%blittable(lffn_model*, global::System.IntPtr)
%blittable(lffn_model**, global::System.IntPtr*)
%blittable(lffn_result*, global::System.IntPtr)
%blittable(const lffn_result*, global::System.IntPtr)
%blittable(lffn_result**, global::System.IntPtr*)
%blittable(const lffn_runtime*, global::System.IntPtr)
%blittable(lffn_runtime*, global::System.IntPtr)
%blittable(lffn_runtime**, global::System.IntPtr*)
%blittable(const lffn_tokenizer*, global::System.IntPtr)
%blittable(lffn_tokenizer*, global::System.IntPtr)
%blittable(lffn_tokenizer**, global::System.IntPtr*)
// Functions that the core calls: unmanaged ones of the C calling convention.
%blittable(lffn_file_progress_callback, global::System.IntPtr)
%blittable(lffn_run_progress_callback, global::System.IntPtr)
%blittable(lffn_read_callback, global::System.IntPtr)
%blittable(lffn_log_callback, global::System.IntPtr)
%blittable(lffn_parallel_for_callback, global::System.IntPtr)
%blittable(void*, global::System.IntPtr)
%blittable(const char**, byte**)
%blittable(const char* const*, byte**)
%blittable(const void* const*, byte**)
%blittable(const size_t*, nuint*)
%blittable(const char*, byte*)
%blittable(char*, byte*)
%blittable(const void*, byte*)
%blittable(size_t, nuint)
%blittable(size_t*, nuint*)
%blittable(const float*, float*)
%blittable(float*, float*)
%blittable(const int32_t*, int*)
%blittable(int32_t*, int*)
%blittable(int64_t*, long*)

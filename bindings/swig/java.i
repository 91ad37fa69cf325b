// SPDX-License-Identifier: Apache-2.0
// Java: handles are long, a status that is not LFFN_OK throws, text is UTF-8 bytes, floats come in direct buffers.
%pragma(java) moduleclassmodifiers="final class"
%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) jniclasscode=%{
  static {
    NativeLibrary.ensureLoaded();
  }
%}
%include "enumtypeunsafe.swg"
%typemap(javaclassmodifiers) enum SWIGTYPE "final class"
%javaconst(1);

%{
#include "java_calls.h"
#include "java_hooks.h"
%}

%typemap(jni) lffn_status "void"
%typemap(jtype) lffn_status "void"
%typemap(jstype) lffn_status "void"
%typemap(javaout) lffn_status { $jnicall; }
%typemap(out) lffn_status %{
  if ($1 != LFFN_OK) throw_status(jenv, $1, last_error($1));
%}

%define %handle(TYPE)
%typemap(jni) const TYPE*, TYPE* "jlong"
%typemap(jtype) const TYPE*, TYPE* "long"
%typemap(jstype) const TYPE*, TYPE* "long"
%typemap(javain) const TYPE*, TYPE* "$javainput"
%typemap(in) const TYPE*, TYPE* %{ $1 = reinterpret_cast<TYPE*>($input); %}

// A new handle comes back in a long[1].
%typemap(jni) TYPE** out "jlongArray"
%typemap(jtype) TYPE** out "long[]"
%typemap(jstype) TYPE** out "long[]"
%typemap(javain) TYPE** out "$javainput"
%typemap(in) TYPE** out (TYPE* made = nullptr) %{ $1 = &made; %}
%typemap(argout) TYPE** out %{
  if (result == LFFN_OK) {
    const jlong handle = reinterpret_cast<jlong>(*$1);
    jenv->SetLongArrayRegion($input, 0, 1, &handle);
  }
%}
%enddef
%handle(lffn_layer)
%handle(lffn_model)
%handle(lffn_result)
%handle(lffn_runtime)
%handle(lffn_tokenizer)

%define %numbers(NAME, COUNT)
%typemap(jni) int64_t* NAME "jlongArray"
%typemap(jtype) int64_t* NAME "long[]"
%typemap(jstype) int64_t* NAME "long[]"
%typemap(javain) int64_t* NAME "$javainput"
%typemap(in) int64_t* NAME (int64_t values[COUNT]) %{ $1 = values; %}
%typemap(argout) int64_t* NAME %{
  if (result == LFFN_OK) jenv->SetLongArrayRegion($input, 0, COUNT, reinterpret_cast<const jlong*>($1));
%}
%enddef
%numbers(numbers, INFO_COUNT)
%numbers(model_numbers, MODEL_COUNT)
%numbers(layer_numbers, MODEL_LAYER_COUNT)
%numbers(estimate_numbers, ESTIMATE_COUNT)
%numbers(tokenizer_numbers, TOKENIZER_COUNT)
%numbers(fingerprint_numbers, FINGERPRINT_COUNT)

%define %option_row(NAME, COUNT)
%typemap(jni) const int32_t* NAME "jintArray"
%typemap(jtype) const int32_t* NAME "int[]"
%typemap(jstype) const int32_t* NAME "int[]"
%typemap(javain) const int32_t* NAME "$javainput"
%typemap(in) const int32_t* NAME (jint values[COUNT]) %{
  jenv->GetIntArrayRegion($input, 0, COUNT, values);
  $1 = reinterpret_cast<int32_t*>(values);
%}
%enddef
%option_row(options, OPTION_COUNT)
%option_row(run_options, RUN_OPTION_COUNT)

// Who is told how far a call has come: an object that ListenedCall.Load.tell or Run.tell knows, or null.
%define %progress(CTYPE, NAME, FUNCTION)
%typemap(jni) (CTYPE NAME, void* NAME ## _user) "jobject"
%typemap(jtype) (CTYPE NAME, void* NAME ## _user) "Object"
%typemap(jstype) (CTYPE NAME, void* NAME ## _user) "Object"
%typemap(javain) (CTYPE NAME, void* NAME ## _user) "$javainput"
%typemap(in) (CTYPE NAME, void* NAME ## _user) (JavaReceiver listener) %{
  listener = {jenv, $input};
  $1 = $input == nullptr ? nullptr : FUNCTION;
  $2 = &listener;
%}
%enddef
%progress(lffn_file_progress_callback, progress, tell_progress)
%progress(lffn_run_progress_callback, run_progress, tell_run_progress)

// A runtime's functions come as the number that RuntimeHooks knows it by; 0 for none. The process's log is that of the
// number 0, and comes as whether there is one.
%define %hook(CTYPE, NAME, FUNCTION, JNITYPE, JAVATYPE, USER)
%typemap(jni) (CTYPE NAME, void* NAME ## _user) "JNITYPE"
%typemap(jtype) (CTYPE NAME, void* NAME ## _user) "JAVATYPE"
%typemap(jstype) (CTYPE NAME, void* NAME ## _user) "JAVATYPE"
%typemap(javain) (CTYPE NAME, void* NAME ## _user) "$javainput"
%typemap(in) (CTYPE NAME, void* NAME ## _user) %{
  $1 = $input ? FUNCTION : nullptr;
  $2 = reinterpret_cast<void*>(USER);
%}
%enddef
%hook(lffn_parallel_for_callback, parallel, run_in_executor, jlong, long, $input)
%hook(lffn_log_callback, log, tell_log, jlong, long, $input)
%hook(lffn_log_callback, process_log, tell_log, jboolean, boolean, jlong{0})

// A path or a name is UTF-8 with the closing zero put there by the caller: JNI's own strings are a modified UTF-8.
%define %zero_terminated(NAME)
%typemap(jni) const char* NAME "jbyteArray"
%typemap(jtype) const char* NAME "byte[]"
%typemap(jstype) const char* NAME "byte[]"
%typemap(javain) const char* NAME "$javainput"
%typemap(in) const char* NAME %{
  $1 = $input == nullptr ? nullptr : reinterpret_cast<char*>(jenv->GetByteArrayElements($input, nullptr));
  if ($input != nullptr && $1 == nullptr) return $null;
%}
%typemap(freearg) const char* NAME %{
  if ($input != nullptr) jenv->ReleaseByteArrayElements($input, reinterpret_cast<jbyte*>($1), JNI_ABORT);
%}
%enddef
%zero_terminated(path)
%zero_terminated(adapter)
%zero_terminated(isa)

%typemap(jni) (const void* data, size_t size) "jbyteArray"
%typemap(jtype) (const void* data, size_t size) "byte[]"
%typemap(jstype) (const void* data, size_t size) "byte[]"
%typemap(javain) (const void* data, size_t size) "$javainput"
%typemap(in) (const void* data, size_t size) %{
  $1 = jenv->GetByteArrayElements($input, nullptr);
  if ($1 == nullptr) return $null;
  $2 = static_cast<size_t>(jenv->GetArrayLength($input));
%}
%typemap(freearg) (const void* data, size_t size) %{
  jenv->ReleaseByteArrayElements($input, static_cast<jbyte*>($1), JNI_ABORT);
%}

%typemap(jni) const char* "jbyteArray"
%typemap(jtype) const char* "byte[]"
%typemap(jstype) const char* "byte[]"
%typemap(javaout) const char* { return $jnicall; }
%typemap(out) const char* %{
  const auto length = static_cast<jsize>(strlen($1));
  $result = jenv->NewByteArray(length);
  if ($result != nullptr) jenv->SetByteArrayRegion($result, 0, length, reinterpret_cast<const jbyte*>($1));
%}

// Direct buffers, without a copy. Whoever calls has checked that they are direct, native-ordered and large enough.
%define %direct_buffer(CTYPE, JAVATYPE, NULL_IS_FINE)
%typemap(jni) CTYPE "jobject"
%typemap(jtype) CTYPE "JAVATYPE"
%typemap(jstype) CTYPE "JAVATYPE"
%typemap(javain) CTYPE "$javainput"
%typemap(in) CTYPE %{
  $1 = $input == nullptr ? nullptr : static_cast<$1_ltype>(jenv->GetDirectBufferAddress($input));
  if (!NULL_IS_FINE && $1 == nullptr) {
    throw_status(jenv, LFFN_ERROR_INVALID_ARGUMENT, "$1_name is not a direct buffer");
    return $null;
  }
%}
%enddef
%direct_buffer(const float* x, java.nio.FloatBuffer, false)
%direct_buffer(float* y, java.nio.FloatBuffer, false)
%direct_buffer(float* buffer, java.nio.FloatBuffer, true)
%direct_buffer(const int32_t* cancel, java.nio.ByteBuffer, true)

%typemap(in, numinputs=0) JNIEnv* env %{ $1 = jenv; %}
%define %java_array(CTYPE, JAVATYPE)
%typemap(jni) CTYPE "CTYPE"
%typemap(jtype) CTYPE "JAVATYPE"
%typemap(jstype) CTYPE "JAVATYPE"
%typemap(javain) CTYPE "$javainput"
%typemap(in) CTYPE %{ $1 = $input; %}
%enddef
%java_array(jfloatArray, float[])
%java_array(jintArray, int[])
%java_array(jlongArray, long[])
%java_array(jbyteArray, byte[])
%java_array(jobjectArray, Object[])
%java_array(jobject, java.nio.Buffer)

// Hashing, models and text go through arrays only.
%ignore layer_hash;
%ignore model_load_files;
%ignore model_estimate_files;
%ignore tokenizer_load_files;
%ignore tokenizer_encode;
%ignore tokenizer_encode_texts;
%ignore tokenizer_decode;
%ignore tokenizer_decode_batch;
%ignore tokenizer_find;
%ignore tokenizer_token;
%ignore result_array;
%ignore model_entities_texts;
%ignore model_run;
%ignore model_run_texts;
%ignore model_run_into_result;
%ignore model_tokenize;
%ignore model_detokenize;
%ignore model_fill_mask;
%ignore model_entities;
%ignore model_answer;
%ignore model_zero_shot;
%ignore max_sim;
%ignore model_rerank;
%ignore top_k;
%rename("$ignore") throw_status;
%include "java_calls.h"
void run_item(int64_t run, int64_t context, int64_t item);

/* SPDX-License-Identifier: Apache-2.0 */
// A native library that is not of the jar's version, for the test that it is refused.
int Java_io_github_lookupffn_NativeLibrary_version(void* env, void* type);

int Java_io_github_lookupffn_NativeLibrary_version(void* env, void* type) {
  (void)env;
  (void)type;
  return 990203;
}

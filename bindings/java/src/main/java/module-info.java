/* SPDX-License-Identifier: Apache-2.0 */
/** Runs transformer encoders and LookupFFN layers through a native library that comes in the jar. */
module io.github.lookupffn {
  requires static jdk.jfr;
  requires static org.jspecify;

  exports io.github.lookupffn;
}

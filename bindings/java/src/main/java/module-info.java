/* SPDX-License-Identifier: Apache-2.0 */
/** Runs transformer encoders and LookupFFN layers through a native library that comes in the jar. */
module io.github.lookupffn {
  requires static jdk.jfr;

  exports io.github.lookupffn;
}

// SPDX-License-Identifier: Apache-2.0
/** What compiling takes of the annotations that say what may be null: the class files name them, the jar has none. */
module org.jspecify {
  exports org.jspecify.annotations;
}

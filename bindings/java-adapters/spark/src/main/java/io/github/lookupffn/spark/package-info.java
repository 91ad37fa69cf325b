/* SPDX-License-Identifier: Apache-2.0 */
/** LookupFFN's models in Spark: a stage of a pipeline, functions for SQL and Python. */
@NullMarked
package io.github.lookupffn.spark;

import org.jspecify.annotations.NullMarked;

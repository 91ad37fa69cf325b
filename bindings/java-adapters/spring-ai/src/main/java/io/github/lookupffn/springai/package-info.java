/* SPDX-License-Identifier: Apache-2.0 */
/** LookupFFN's models as Spring AI's embedding models. */
@NullMarked
package io.github.lookupffn.springai;

import org.jspecify.annotations.NullMarked;

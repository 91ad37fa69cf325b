/* SPDX-License-Identifier: Apache-2.0 */
/** LookupFFN's models as LangChain4j's embedding models, scoring models and token counters. */
@NullMarked
package io.github.lookupffn.langchain4j;

import org.jspecify.annotations.NullMarked;

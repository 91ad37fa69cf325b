/* SPDX-License-Identifier: Apache-2.0 */
/** LookupFFN's models as Spring AI's embedding models. */
package io.github.lookupffn.springai;

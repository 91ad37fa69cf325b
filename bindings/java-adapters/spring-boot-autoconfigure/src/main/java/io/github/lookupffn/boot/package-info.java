/* SPDX-License-Identifier: Apache-2.0 */
/** LookupFFN's models as beans of a Spring Boot application. */
@NullMarked
package io.github.lookupffn.boot;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
module lookupffn.example {
  requires io.github.lookupffn;
}

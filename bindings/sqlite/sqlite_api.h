// SPDX-License-Identifier: Apache-2.0
// SQLite's functions, as an extension calls them: by the table that SQLite hands over when it loads one.
#pragma once

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3

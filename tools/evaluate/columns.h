// SPDX-License-Identifier: Apache-2.0
// Files in which each line is a case: columns with tabs between them, or anything else in a line.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lffn::tools {

// Calls f(line, place) for each line that is not blank, without a byte order mark at the start of the file. What f
// throws, and bytes that are not UTF-8, become an InvalidArgument that names the place, "FILE, line 17".
void for_each_line(const std::string& file,
                   const std::function<void(const std::string& line, const std::string& place)>& f);

// Calls f(columns, place) for each such line. `names` tells the columns, with tabs between them: "score\ttext\ttext".
// With `header` the first line is left out. A file without any case is an error.
void for_each_case(const std::string& file, bool header, const std::string& names,
                   const std::function<void(const std::vector<std::string>& columns, const std::string& place)>& f);

// The text without blanks at its ends.
std::string trimmed(const std::string& text);

constexpr char kGiveHeader[] = "; if this line names the columns, give --header";

// Whether the column is a finite number and nothing else, except for blanks around it.
bool is_number(const std::string& column);
// Throws InvalidArgument, `what` says what it is of, `hint` what to do.
double parse_number(const std::string& column, const char* what, const char* hint = "");

}  // namespace lffn::tools

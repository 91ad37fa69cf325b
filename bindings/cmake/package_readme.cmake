# SPDX-License-Identifier: Apache-2.0
# Writes README_TO, a package's README, from the page README_FROM. It lies beside no other page there: what links to one
# becomes its text.
file(READ ${README_FROM} text)
string(REGEX REPLACE "\\[([^]]+)\\]\\(([^):]+)\\)" "\\1" text "${text}")
file(WRITE ${README_TO} "${text}")

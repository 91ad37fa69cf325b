#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the program in a folder and looks at what it prints: check.sh FOLDER EXTENSION MODEL
set -euo pipefail
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
mkdir -p "$1"
cp "$(dirname "$0")"/{Program.cs,SearchInSqlite.csproj} "$1"
# The folder lies in the build, whose settings for the .NET packages are not meant.
echo '<Project/>' | tee "$1/Directory.Build.props" "$1/Directory.Build.targets" "$1/Directory.Packages.props" >/dev/null
cd "$1"
if ! dotnet restore >restore.log 2>&1; then
  echo "skipped: NuGet does not give Microsoft.Data.Sqlite:"
  tail -n 3 restore.log
  exit 77
fi
printed=$(dotnet run --no-restore -- "$2" "$3")
echo "$printed"
[[ $(sed -n 2p <<<"$printed") == "the river" && $(sed -n 3p <<<"$printed") == *"cannot open '/none'"* ]]

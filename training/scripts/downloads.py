# SPDX-License-Identifier: Apache-2.0
"""Packages of Debian, npm and NuGet, downloaded and unpacked in a folder. Nothing is installed, no script of theirs is run."""

import json
import os
import re
import shutil
import subprocess
import sys

# How a package of each registry is written, and the program that gets it.
PROGRAMS = {"npm:": "npm", "nuget:": "dotnet"}


def called(*command, **options):
    """-> the output of a program; if it fails, its own message is the error."""
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout
    except FileNotFoundError:
        sys.exit(f"fetch_text.py: {command[0]} is not installed")
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip() or error.stdout.strip()[-1000:] or f"status {error.returncode}"  # dotnet's errors are on stdout
        sys.exit(f"fetch_text.py: {' '.join(map(str, command))}:\n{said}")


def fetch_npm(package, folder, root):
    """Downloads and unpacks a package of npm; returns its licence's text."""
    called("npm", "pack", "--ignore-scripts", package, cwd=folder)
    (archive,) = folder.glob("*.tgz")
    (root / "package").mkdir(parents=True, exist_ok=True)
    called("tar", "-xzf", archive, "-C", root / "package", "--strip-components=1")  # Not every package calls its folder so.
    archive.unlink()
    notice = root / "package/LICENSE"
    about = json.loads((root / "package/package.json").read_text(encoding="utf-8"))
    licence = notice.read_text(encoding="utf-8") if notice.is_file() else about.get("license")
    return f"=== {archive.name}\n\n{licence}\n"


def fetch_nuget(package, folder, root):
    """As fetch_npm. Only the package itself is kept, without those that it needs."""
    found = folder / "nuget"
    called("dotnet", "package", "download", package, "--output", found, cwd=folder, env={**os.environ, "DOTNET_NOLOGO": "1"})
    name = package.partition("@")[0].lower()
    (content,) = (found / name).iterdir()
    shutil.move(content, root / name)
    shutil.rmtree(found)
    about = (root / name / f"{name}.nuspec").read_text(encoding="utf-8-sig", errors="replace")
    licence = re.search(r"<license\b[^>]*>([^<]*)</license>", about)
    notices = [path.read_text(encoding="utf-8", errors="replace") for path in sorted((root / name).glob("[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*"))]
    return "\n".join([f"=== {package}", "", *([licence[1]] if licence else []), *notices, ""])


def fetch(packages, folder):
    """Downloads and unpacks packages; returns their folder and their copyright files' text."""
    root = folder / "root"
    licences = []
    for package in packages:
        if package.startswith("npm:"):
            licences.append(fetch_npm(package[4:], folder, root))
            continue
        if package.startswith("nuget:"):
            root.mkdir(exist_ok=True)
            licences.append(fetch_nuget(package[6:], folder, root))
            continue
        called("apt-get", "download", package, cwd=folder)
        (archive,) = folder.glob(f"{package}_*.deb")
        called("dpkg-deb", "-x", archive, root)
        notice = root / "usr/share/doc" / package / "copyright"
        licences.append(f"=== {archive.name}\n\n{notice.read_text(encoding='utf-8', errors='replace')}\n")
    return root, licences

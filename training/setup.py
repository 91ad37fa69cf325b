# SPDX-License-Identifier: Apache-2.0
"""Puts the licence into the package, and liblookupffn_train with the notices of what is inside it where LOOKUPFFN_LIBRARY names
a built one; pyproject.toml says the rest."""

import os
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parents[1]  # of the whole project


class BuildWithLibrary(build_py):
    def run(self):
        library = os.environ.get("LOOKUPFFN_LIBRARY")
        if library and not Path(library).is_file():
            # pip runs this file inside training/, so a path that is right where pip was called is not here.
            raise SystemExit(f"LOOKUPFFN_LIBRARY: no file {library} (seen from {Path.cwd()}); give an absolute path")
        super().run()
        package = Path(self.build_lib) / "lookupffn"
        package.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / "LICENSE", package / "LICENSE")
        if library:
            folder = package / "lib"
            folder.mkdir(exist_ok=True)
            shutil.copyfile(ROOT / "bindings" / "THIRD-PARTY-NOTICES.txt", folder / "THIRD-PARTY-NOTICES.txt")
            shutil.copyfile(library, folder / "liblookupffn_train.so.0")


class MaybeNative(Distribution):
    def has_ext_modules(self):
        """A package with the library inside is for one kind of machine."""
        return bool(os.environ.get("LOOKUPFFN_LIBRARY"))


setup(cmdclass={"build_py": BuildWithLibrary}, distclass=MaybeNative)

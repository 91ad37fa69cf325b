"""Puts liblookupffn into the package where LOOKUPFFN_LIBRARY names a built one; pyproject.toml says the rest."""

import os
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

NAMES = {".dylib": "liblookupffn.1.dylib", ".dll": "lookupffn.dll"}


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        library = os.environ.get("LOOKUPFFN_LIBRARY")
        if library:
            folder = Path(self.build_lib) / "lookupffn" / "lib"
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(library, folder / NAMES.get(Path(library).suffix, "liblookupffn.so.1"))


class MaybeNative(Distribution):
    def has_ext_modules(self):
        """A package with the library inside is for one kind of machine."""
        return bool(os.environ.get("LOOKUPFFN_LIBRARY"))


setup(cmdclass={"build_py": BuildWithLibrary}, distclass=MaybeNative)

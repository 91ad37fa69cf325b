"""Looks into packages: check_packages.py PACKAGE...

Each has the licence and the notices of what is inside; a README links to nothing that is not beside it.
"""
import re
import sys
import zipfile


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(1)


def check(path):
    with zipfile.ZipFile(path) as package:
        names = package.namelist()
        folder = "META-INF/" if path.endswith(".jar") else ""
        licence = package.read(folder + "LICENSE").decode()
        notices = package.read(folder + "THIRD-PARTY-NOTICES.txt").decode()
        if "Apache License" not in licence:
            fail(f"{path}: LICENSE is another one")
        for name in ("xsimd", "Unicode", "GCC Runtime"):
            if name not in notices:
                fail(f"{path}: no notice of {name}")
        readmes = [name for name in names if name == "README.md"]
        if path.endswith(".nupkg") and not readmes:
            fail(f"{path}: no README.md")
        for name in readmes:
            for link in re.findall(r"\]\(([^)]*)\)", package.read(name).decode()):
                if not link.startswith("https://"):
                    fail(f"{path}: {name} links to {link}, which is not in the package")


for package in sys.argv[1:]:
    check(package)

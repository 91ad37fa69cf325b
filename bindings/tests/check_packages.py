# SPDX-License-Identifier: Apache-2.0
"""Looks into packages: check_packages.py PACKAGE...

Each has the licence and the notices of what is inside; a README links to nothing that is not beside it; poms and nuspecs
have what registries ask for. Nuspecs name native libraries of this project in exactly their own version and other packages
from that on up to the next major one, poms in their own, and no pom has a range, of which Maven takes milestones as well.
"""
import re
import sys
import zipfile


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(1)


def check_pom(path, text):
    for element in ("name", "description", "url", "licenses", "developers", "scm", "connection", "role"):
        if not re.search(f"<{element}>\\s*\\S", text):
            fail(f"{path}: no {element}")
    if "@" in text:
        fail(f"{path}: a variable was left")
    version = re.search("<version>(.*?)</version>", text).group(1)
    for dependency in re.findall("<dependency>.*?</dependency>", text, re.DOTALL):
        if "<artifactId>lookupffn" in dependency and f"<version>{version}</version>" not in dependency:
            fail(f"{path}: lookupffn is wanted in another version than {version}")
        if re.search("<version>[^<]*[][(),]", dependency):
            fail(f"{path}: a range of versions: {dependency}")


def check_nuspec(path, text):
    for element in ("license", "icon", "readme", "projectUrl", "description"):
        if not re.search(f"<{element}[ >]", text):
            fail(f"{path}: no {element}")
    if not re.search('<repository type="git" url="https://', text):
        fail(f"{path}: no repository")
    version = re.search("<version>(.*?)</version>", text).group(1)
    for name, wanted in re.findall('<dependency id="(LookupFfn[^"]*)" version="([^"]*)"', text):
        # The native library and what calls it may change together; others go by the major number.
        exact = name.startswith("LookupFfn.runtime.")
        expected = f"[{version}, {version}]" if exact else f"[{version}, {int(version.split('.')[0]) + 1}.0.0)"
        if wanted.replace(f"[{version}]", f"[{version}, {version}]") != expected:
            fail(f"{path}: {name} in version {wanted}, expected {expected}")


def check(path):
    if path.endswith(".pom"):
        with open(path) as pom:
            check_pom(path, pom.read())
        return
    with zipfile.ZipFile(path) as package:
        names = package.namelist()
        folder = "META-INF/" if path.endswith(".jar") else ""
        licence = package.read(folder + "LICENSE").decode()
        model = "LookupFfn.Models." in path
        notices = package.read("NOTICE" if model else folder + "THIRD-PARTY-NOTICES.txt").decode()
        if "Apache License" not in licence:
            fail(f"{path}: LICENSE is another one")
        for name in ("MiniLM",) if model else ("xsimd", "nlohmann-json", "Unicode", "GCC Runtime", "LLVM", "MinGW"):
            if name not in notices:
                fail(f"{path}: no notice of {name}")
        if path.endswith(".nupkg"):
            check_nuspec(path, package.read(next(name for name in names if name.endswith(".nuspec"))).decode("utf-8-sig"))
            if not package.read("icon.png").startswith(b"\x89PNG"):
                fail(f"{path}: icon.png is none")
        if len({entry.date_time for entry in package.infolist()}) != 1:
            fail(f"{path}: entries have the times of their making")
        readmes = [name for name in names if name == "README.md"]
        if path.endswith(".nupkg") and not readmes:
            fail(f"{path}: no README.md")
        for name in readmes:
            for link in re.findall(r"\]\(([^)]*)\)", package.read(name).decode()):
                if not link.startswith("https://"):
                    fail(f"{path}: {name} links to {link}, which is not in the package")


for package in sys.argv[1:]:
    check(package)

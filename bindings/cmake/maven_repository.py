#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a folder that Maven and Gradle take as a repository: maven_repository.py REPOSITORY VERSION FOLDER...

For each ARTIFACT-VERSION.pom of the folders, it and the jars beside it go to their places, with their checksums. A pom that
is a jar's and has none beside it gets one with nothing inside, as starters have.
"""
import hashlib
import re
import shutil
import sys
import zipfile
from pathlib import Path


def put(source, target):
    if source is None:
        with zipfile.ZipFile(target, "w") as jar:
            jar.writestr(zipfile.ZipInfo("META-INF/MANIFEST.MF", (1980, 2, 1, 0, 0, 0)), "Manifest-Version: 1.0\r\n\r\n")
    else:
        shutil.copyfile(source, target)
    content = target.read_bytes()
    for name in ("md5", "sha1", "sha256"):
        digest = hashlib.new(name, content, usedforsecurity=False).hexdigest()
        target.with_name(f"{target.name}.{name}").write_text(digest)


repository, version, folders = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
shutil.rmtree(repository, ignore_errors=True)
for folder in map(Path, folders):
    for pom in sorted(folder.glob(f"*-{version}.pom")):
        text = pom.read_text(encoding="utf-8")
        artifact = re.search("<artifactId>(.*?)</artifactId>", text).group(1)
        group = re.search("<groupId>(.*?)</groupId>", text).group(1)
        packed = sorted(folder.glob(f"{artifact}-{version}*.jar"))
        if "<packaging>jar</packaging>" in text and not packed and not artifact.endswith("-starter"):
            continue  # it was not built
        place = repository / group.replace(".", "/") / artifact
        (place / version).mkdir(parents=True)
        put(pom, place / version / pom.name)
        for jar in packed:
            put(jar, place / version / jar.name)
        if artifact.endswith("-starter"):
            put(None, place / version / f"{artifact}-{version}.jar")
        metadata = place / "maven-metadata.xml"
        metadata.write_text(
            f"<metadata>\n  <groupId>{group}</groupId>\n  <artifactId>{artifact}</artifactId>\n  <versioning>\n"
            f"    <release>{version}</release>\n    <versions>\n      <version>{version}</version>\n    </versions>\n"
            "  </versioning>\n</metadata>\n", encoding="utf-8")
        print(f"{group}:{artifact}:{version}")

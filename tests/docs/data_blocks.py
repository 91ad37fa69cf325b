# SPDX-License-Identifier: Apache-2.0
"""Settings and descriptions on the pages: they can be read, and name what the project has."""
import json
import re
import xml.etree.ElementTree as xml

from named import text_of
from pages import ROOT, all_blocks, pages

GROUP = "io.github.lookupffn"


def check():
    bad, seen = versions(), 0
    artifacts = set(re.findall(r"\blookupffn(?:-[\w.]+)*", text_of("bindings"))) | {"lookupffn"}
    for block in all_blocks("json", "xml", "yaml", "kotlin"):
        seen += 1
        problems = {"json": check_json, "xml": check_xml, "yaml": check_yaml, "kotlin": lambda code: []}[block.language](block.code)
        named = re.findall(rf"{GROUP}:([\w.-]+)", block.code)
        if block.language == "xml" and not problems:
            named += [entry.findtext("artifactId") for entry in whole(block.code).iter() if entry.findtext("groupId") == GROUP]
        problems += [f"there is no artifact {name}" for name in named if name not in artifacts]
        bad += [f"{block.place}: {problem}" for problem in problems]
    print(f"{seen} blocks")
    return bad if seen else bad + ["the pages have no settings"]


def whole(code):
    return xml.fromstring(f"<all>{code}</all>")


def check_xml(code):
    try:
        whole(code)
    except xml.ParseError as error:
        return [str(error)]
    return []


def check_json(code):
    """The keys of a plan, which only training reads, stand in its sources."""
    try:
        value = json.loads(code)
    except ValueError as error:
        return [str(error)]
    words = set(re.findall(r"\w+", text_of("training/lookupffn")))
    return [f"nothing reads '{key}'" for key in keys(value) if not key.isdigit() and key not in words]


def keys(value):
    if isinstance(value, dict):
        return [*value, *(key for entry in value.values() for key in keys(entry))]
    return [key for entry in value for key in keys(entry)] if isinstance(value, list) else []


def check_yaml(code):
    """Names below lookupffn: are properties of the starter, whose members are written in Java's way."""
    members = {word.lower() for word in re.findall(r"\w+", text_of("bindings/java-adapters/spring-boot-autoconfigure/src/main"))}
    names = re.findall(r"(?:^ *|[{,] *)([a-z][a-z-]*):(?=\s|$)", re.sub(r"#.*", "", code), re.MULTILINE)
    return [f"there is no property {name}" for name in names if name != "lookupffn" and name.replace("-", "") not in members]


def versions():
    version = re.search(r"project\(\w+ VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    bad = []
    for page in pages():
        text = (ROOT / page).read_text(encoding="utf-8")
        for name, told in re.findall(rf"\b({GROUP}:[\w.-]+:|lookupffn-(?:[a-z]+-)*)(\d+\.\d+\.\d+)", text):
            if told != version:
                bad.append(f"{page}: {name}{told} is of another version than {version}")
    return bad

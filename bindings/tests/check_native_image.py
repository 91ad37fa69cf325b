# SPDX-License-Identifier: Apache-2.0
"""Compares what the native code looks up in Java with what the jar tells GraalVM: check_native_image.py JAR SOURCE...

GraalVM leaves out of a program what nothing names, and native code names classes and methods only in texts.
"""
import json
import re
import sys
import zipfile

FOLDER = "META-INF/native-image/io.github.lookupffn/lookupffn/"
TYPES = {"I": "int", "J": "long", "Z": "boolean", "F": "float", "D": "double"}


def parameter_types(descriptor):
    types = []
    for arrays, letter, name in re.findall(r"(\[*)(?:([IJZFD])|L([^;]*);|B)", descriptor[1:descriptor.index(")")]):
        types.append((TYPES.get(letter) or name.replace("/", ".") or "byte") + "[]" * len(arrays))
    return types


def looked_up(sources):
    """Pairs of a class and a method with its parameters, as the native code asks for them."""
    found = set()
    for source in sources:
        with open(source, encoding="utf-8") as file:
            text = file.read()
        known = set(re.findall(r'"(java/\w+/\w+)"', text))  # to throw by ThrowNew, which calls the constructor of a text
        found |= {(name.replace("/", "."), "<init>(java.lang.String)") for name in known}
        names = re.findall(r'FindClass\("([^"]*)"\)', text)
        methods = re.findall(r'Get(?:Static)?MethodID\(\w+, "([^"]*)", "([^"]*)"\)', text)
        if len(re.findall(r"Get(?:Static)?(?:MethodID|FieldID)\(", text)) != len(methods) or len(names) != len(methods):
            sys.exit(f"{source}: a look-up that this test does not understand")
        for name, (method, descriptor) in zip(names, methods):
            found.add((name.replace("/", "."), f"{method}({','.join(parameter_types(descriptor))})"))
    return found


def main():
    with zipfile.ZipFile(sys.argv[1]) as jar:
        classes = json.loads(jar.read(FOLDER + "jni-config.json"))
        resources = json.loads(jar.read(FOLDER + "resource-config.json"))["resources"]["includes"]
        natives = [name for name in jar.namelist() if "/native/" in name and not name.endswith("/")]
    told = {(entry["name"], f"{method['name']}({','.join(method['parameterTypes'])})")
            for entry in classes for method in entry["methods"]}
    wanted = looked_up(sys.argv[2:])
    if not wanted or told != wanted:
        sys.exit(f"not told: {sorted(wanted - told)}; told in vain: {sorted(told - wanted)}")
    for name in natives:
        if not any(re.fullmatch(resource["pattern"], name) for resource in resources):
            sys.exit(f"{name} is no resource that GraalVM keeps")
    if not natives:
        sys.exit("the jar has no native library")
    print(f"{len(told)} methods and {len(natives)} resources")


main()

# SPDX-License-Identifier: Apache-2.0
"""Methods of C#, Java and JavaScript with their documentation, for fetch_text.py: from the XML files of NuGet's packages, the
pages of Debian's Java documentation, and the sources and declarations of npm's packages. Nothing is executed. Only JavaScript has
bodies; elsewhere a method is its signature."""

import html
import re
import xml.etree.ElementTree as ElementTree

from functions import SOURCE_BYTES, function_of, one_line

# By the licence of the packages.
LICENCES = {
    "MIT": """nuget:Newtonsoft.Json@13.0.4 nuget:MathNet.Numerics@5.0.0 nuget:Autofac@9.3.3 nuget:Humanizer.Core@3.0.10
        nuget:Avalonia@12.1.6 nuget:SkiaSharp@4.155.0 nuget:System.Reactive@7.0.0 nuget:NUnit@5.0.0
        nuget:Microsoft.EntityFrameworkCore@10.0.15 nuget:System.Text.Json@11.0.0
        npm:three@0.187.0 npm:lodash@4.18.1 npm:@types/node@26.6.6 npm:@types/vscode@1.140.0 npm:phaser@4.2.1 npm:luxon@3.7.2
        npm:date-fns@4.4.0 npm:ramda@0.32.0 npm:pdf-lib@1.17.1 npm:mongoose@9.12.1 npm:sequelize@6.37.8 npm:immutable@5.2.1
        npm:async@3.2.6 npm:winston@3.19.0 npm:@angular/core@22.2.6
        libjsoup-java-doc libhtsjdk-java-doc libjoptsimple-java-doc""",
    "Apache-2.0": """nuget:NodaTime@3.3.7 nuget:Quartz@4.7.3 nuget:Akka@1.5.74
        nuget:MongoDB.Driver@3.14.0 nuget:MassTransit@8.5.12 nuget:FluentValidation@12.2.0 nuget:Serilog@4.4.0
        npm:mathjs@15.2.0 npm:rxjs@7.8.2 npm:playwright-core@1.65.1 npm:puppeteer-core@25.16.0 npm:mongodb@7.8.0
        npm:discord.js@14.28.1 npm:@tensorflow/tfjs-core@4.22.0 npm:@google-cloud/storage@8.4.0
        libcommons-lang3-java-doc libcommons-math3-java-doc libcommons-collections4-java-doc libcommons-io-java-doc
        libcommons-codec-java-doc libpdfbox-java-doc libapache-poi-java-doc libzookeeper-java-doc libjimfs-java-doc
        libt-digest-java-doc libsuper-csv-java-doc libtypesafe-config-java-doc libyaml-snake-java-doc libjackson-json-java-doc""",
    "BSD-2-clause": """npm:ol@10.10.0 npm:leaflet@1.9.4 libimglib2-java-doc libpostgresql-jdbc-java-doc""",
    "BSD-3-clause": """nuget:Polly@8.9.1 libkryo-java-doc libjung-free-java-doc""",
    "PostgreSQL": """nuget:Npgsql@10.0.3""",
}
PACKAGES = {name: licence for licence, names in LICENCES.items() for name in names.split()}
SIGNATURE_TOKENS = 25  # of a passage without a body, at least
DECLARATION = 2500  # characters of a JavaScript declaration that are read
SHORT_TYPES = {"String": "string", "Int32": "int", "Int64": "long", "Boolean": "bool", "Double": "double", "Single": "float",
               "Object": "object", "Byte": "byte", "Char": "char", "Void": "void", "Decimal": "decimal"}
OTHER_FILES = re.compile(r"\.min\.|[-.]min\b|/(test|tests|examples?|dist|umd|build|node_modules)/")
COMMENT, SECTION = 8000, 20000  # characters that are read: patterns take time by the square of it
TAG_TEXT = re.compile(r"\{@\w+\s([^{}|]*)[^{}]*\}")
EXAMPLE = re.compile(r"(```|~~~).*?(\1|\Z)", re.S)
MARKUP = re.compile(r"!\[[^\[\]]*\]\([^()]*\)|</?[a-z]\w*\b[^<>]*>|\*\*")
LINK = re.compile(r"\[([^\[\]]+)\]\([^()]*\)")
INNER = re.compile(r"/\*\*.*?(\*/|\Z)", re.S)  # documentation of what a declaration holds
KEYWORDS = {"if", "for", "while", "switch", "return", "catch", "super", "function", "import", "require", "class", "interface", "new", "typeof", "else"}


# C#: an XML file for each assembly.

def _text(element):
    parts = [element.text or ""]
    for child in element:
        name = child.get("cref") or child.get("langword") or child.get("name")
        parts.append(re.split(r"[.:]", name.split("(")[0])[-1].split("`")[0] if name and not (child.text or "").strip() else _text(child))
        parts.append(child.tail or "")
    return " ".join(parts) if element.tag in ("para", "list", "item", "description") else "".join(parts)


def _arguments(text):
    """Those between commas that no braces hold."""
    depth, begin, found = 0, 0, []
    for place, letter in enumerate(text + ","):
        depth += (letter in "{[(") - (letter in "}])")
        if letter == "," and (depth == 0 or place == len(text)):
            found.append(text[begin:place])
            begin = place + 1
    return [argument for argument in found if argument]


def _type(name):
    """System.Collections.Generic.List{System.String} -> List<string>"""
    short = re.sub(r"[\w.]+", lambda match: match[0].rsplit(".", 1)[-1], re.sub(r"`+\d+", "T", name).rstrip("@"))
    return re.sub(r"\w+", lambda match: SHORT_TYPES.get(match[0], match[0]), short).replace("{", "<").replace("}", ">")


def of_assembly(source):
    """-> the methods of an XML file of documentation, in bytes; none if it is no such file."""
    try:
        members = ElementTree.fromstring(source).iter("member")
    except ElementTree.ParseError:
        return
    for member in members:
        path, _, arguments = member.get("name", "").partition("(")
        if not path.startswith("M:") or "." not in path or "<" in path:  # which no program can call
            continue
        summary = member.find("summary")
        documentation = one_line(_text(summary)) if summary is not None else ""
        if not documentation:
            continue
        holder, name = (re.split(r"[.#]", part)[-1].split("`")[0] for part in path[2:].rsplit(".", 1))
        names = [parameter.get("name", "") for parameter in member.findall("param")]
        types = [_type(argument) for argument in _arguments(arguments.split(")~")[0].rstrip(")"))]
        shown = ", ".join(" ".join(filter(None, pair)) for pair in zip(types, names + [""] * len(types)))
        head = f"new {holder}({shown})" if name == "ctor" else f"{holder}.{name}({shown})"
        more = [f"{parameter.get('name')}: {one_line(_text(parameter))}" for parameter in member.findall("param") if _text(parameter).strip()]
        returns = member.find("returns")
        more += [f"Returns: {one_line(_text(returns))}"] if returns is not None and _text(returns).strip() else []
        yield function_of(holder if name == "ctor" else name, head, "\n\n".join([documentation, *more]), (), True, SIGNATURE_TOKENS)


# Java: a page for each class, with sections as javadoc of JDK 16 and later writes them, or as the earlier ones did.

def _plain(page):
    return one_line(html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"</?(p|li|br|dd|dt|div|ul|ol|pre)\b[^>]*>", " ", page))))


def of_page(page, holder):
    for section in re.split(r'<section class="detail"|<h4>', page)[1:]:
        section = section[:SECTION]
        signature = re.search(r'<div class="member-?[sS]ignature">(.*?)</div>|</h4>\s*<pre\b[^>]*>(.*?)</pre>', section, re.S)
        block = re.search(r'<div class="block">(?!<span class="descfrm)(.*?)</div>', section, re.S)
        if not signature or not block:
            continue
        head = re.sub(r"^(@\w+(\([^)]*\))? )+", "", _plain(signature[1] or signature[2]).replace("\u200b", ""))
        name = re.search(r"(\w+)\s*\(", head)
        documentation = _plain(block[1])
        if not name or not documentation or documentation.startswith(("Deprecated", "Description copied from")):
            continue
        # Parameters, then what is returned; not where it is defined, nor since when.
        notes = re.sub(r'<span class="\w+Label">([^<]*)</span>', r"\1", section[block.end():])
        more = [_plain(note) for title in ("Parameters", "Returns")
                for note in re.findall(rf"<dt>{title}:</dt>\s*((?:<dd>.*?</dd>\s*)+)", notes, re.S)]
        yield function_of(name[1], f"{holder}: {head}", "\n\n".join([documentation, *filter(None, more)]), (), True, SIGNATURE_TOKENS)


# JavaScript and TypeScript: what follows a comment that begins with two stars.

def _after(source, sign, begin, end):
    place = source.find(sign, begin, end)
    return end if place < 0 else place + len(sign)


def declaration_at(source, begin):
    """The declaration there: to its closing brace, or to a semicolon outside of braces. Strings and comments are stepped over."""
    depth, place, end = 0, begin, min(len(source), begin + DECLARATION)
    while place < end:
        letter = source[place]
        if letter in "\"'`":
            quote = letter
            place += 1
            while place < end and source[place] != quote:
                place += 2 if source[place] == "\\" else 1
        elif source.startswith("//", place):
            place = _after(source, "\n", place, end)
            continue
        elif source.startswith("/*", place):
            if depth == 0:
                return source[begin:place]
            place = _after(source, "*/", place, end)
            continue
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth < 0 or (depth == 0 and letter == "}"):
                return source[begin:place + (depth == 0)]
        elif letter == ";" and depth == 0:
            return source[begin:place + 1]
        place += 1
    return source[begin:end]


def name_of(declaration):
    """A function's or a method's; none of what holds a value, or other methods."""
    line = declaration[:300]
    found = (re.match(r"(?:export\s+|default\s+|declare\s+|async\s+)*function\s*\*?\s*([\w$]+)", line)
             or re.match(r"(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function|\([^)]*\)\s*=>|[\w$]+\s*=>)", line)
             or re.match(r"(?:[\w$]+\.)+([\w$]+)\s*=\s*(?:async\s*)?(?:function|\()", line)
             or re.match(r"([\w$]+)\s*:\s*(?:async\s*)?function", line)
             or re.match(r"(?:public\s+|protected\s+|static\s+|async\s+|readonly\s+|get\s+|set\s+|\*\s*)*([\w$]+)\??\s*(?:<[^>]*>)?\(", line))
    return None if found is None or found[1] in KEYWORDS else found[1]


def comments(source):
    """-> the text of each comment that begins with two stars, and where what follows begins."""
    place = 0
    while (begin := source.find("/**", place)) >= 0 and (end := source.find("*/", begin + 3)) >= 0:
        place = end + 2
        if end - begin <= COMMENT:
            follows = re.compile(r"\s*").match(source, place).end()
            yield source[begin + 3:end], follows


def of_script(source):
    for comment, follows in comments(source):
        lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment.splitlines()]
        text = MARKUP.sub(" ", EXAMPLE.sub("\n\n", "\n".join(lines)))
        text = TAG_TEXT.sub(lambda match: match[1].strip(), LINK.sub(lambda match: match[1], text)).replace("`", "")
        documentation, *tags = re.split(r"(?m)^\s*@", text)
        begin = source[follows:follows + 300]
        if not documentation.strip() or re.match(r"(?i)\s*(copyright|licen[cs]e|@)", documentation) or not begin or begin.startswith("/*"):
            continue
        if any(re.match(r"(private|internal|license|deprecated|fileoverview|packageDocumentation)\b", tag) for tag in tags):
            continue
        name = name_of(begin)
        if name is None:
            continue
        told = [re.sub(r"^\w+\s+(\{[^\n]*?\}+\s*)?", "", tag) for tag in tags if re.match(r"(param|returns?)\b", tag)]
        code = INNER.sub(" ", declaration_at(source, follows))
        head, *body = filter(None, map(one_line, code.splitlines()))
        yield function_of(name, head, "\n\n".join([documentation.strip(), *told]), body, True, SIGNATURE_TOKENS)


def _read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def of_folder(root):
    """The methods of an unpacked package, each once: assemblies have their documentation once for each version of .NET."""
    seen = set()
    for path in sorted(root.rglob("*")):
        short = "/" + path.relative_to(root).as_posix()
        if path.is_symlink() or not path.is_file() or OTHER_FILES.search(short):
            continue
        size = path.stat().st_size
        if path.suffix == ".xml" and "/lib/" in short:
            found = of_assembly(path.read_bytes())
        elif path.suffix == ".html" and "/doc/" in short and size <= 4 * SOURCE_BYTES:
            found = of_page(_read(path), path.stem)
        elif short.startswith("/package/") and short.endswith((".js", ".mjs", ".ts")) and size <= 2 * SOURCE_BYTES:
            found = of_script(_read(path))
        else:
            continue
        for function in found:
            if function and function.passage not in seen:
                seen.add(function.passage)
                yield function

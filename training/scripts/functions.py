# SPDX-License-Identifier: Apache-2.0
"""Python functions with their documentation, for fetch_text.py: a passage is a function's signature, documentation and body,
its question the first sentence of the documentation, or its name in words. Sources are parsed and never executed."""

import ast
import dataclasses
import re
import warnings

# Debian's packages, by the licence of their Python sources.
LICENCES = {
    "BSD-3-clause": """numpy scipy pandas django flask werkzeug jinja2 sympy networkx sklearn dask distributed ipython
        celery kombu click lxml markdown babel dateutil astropy torch prompt-toolkit scrapy fsspec passlib
        oauthlib psutil httpx rdflib nbconvert notebook traitlets pint shapely geopandas rasterio toolz
        boltons joblib tables h5py seaborn pypdf2""",
    "matplotlib's (as PSF)": """matplotlib""",
    "MIT": """sqlalchemy twisted pytest setuptools pip attr rich urllib3 bs4 mako nibabel redis openpyxl zarr
        autobahn gevent eventlet pydicom more-itertools cachetools paste webob gunicorn pdfminer""",
    "Apache-2.0": """requests tornado aiohttp xarray botocore boto3 pymongo elasticsearch docker sortedcontainers""",
    "BSD-2-clause": """sphinx feedparser imageio xlsxwriter""",
    "Apache-2.0 or BSD-3-clause": """cryptography""",
    "HPND": """pil""",
    "MIT or Apache-2.0": """trio""",
}
PACKAGES = {f"python3-{name}": licence for licence, names in LICENCES.items() for name in names.split()}
TOKENS = (60, 250)  # of a passage, by the count below; all-MiniLM-L6-v2's WordPiece makes more than 256 of 3.5 % of them
DOCUMENTATION = 120  # tokens of it at most where a passage is cut
QUOTES = 6
QUESTION = 12  # letters at least; a shorter first sentence says less than the name
SOURCE_BYTES = 1 << 20  # larger files are tables
PIECE = re.compile(r"[A-Za-z]{1,5}|[0-9]{1,2}|\S")
OTHERS = {"test", "tests", "testing", "_vendor", "vendor", "vendored", "_vendored", "extern", "externals"}


@dataclasses.dataclass
class Function:
    question: str  # The first sentence of its documentation, or else its name in words.
    is_told: bool  # The question is that sentence.
    passage: str
    bare: str  # The passage without the documentation.


def tokens(text):
    """About how many tokens WordPiece makes of it: it splits rare words, and at every sign."""
    return len(PIECE.findall(text))


def one_line(text):
    return re.sub(r"\s+", " ", re.sub(r"[\x00-\x1f\x7f\ufffd]", " ", text)).strip()


def name_in_words(name):
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)).lower()


def first_sentence(documentation):
    paragraph = one_line(re.split(r"\n\s*\n", documentation.strip())[0])
    return re.split(r"(?<=[.!?])\s", paragraph)[0]


def beginning(lines, most):
    """As many lines, from the first, as have so few tokens."""
    kept, size = [], 0
    for line in lines:
        size += tokens(line)
        if size > most:
            break
        kept.append(line)
    return kept


def shortened(text, most):
    """Its first words, as many as have so few tokens."""
    return " ".join(beginning(text.split(), most))


def function_of(name, head, documentation, body=(), before=False, least=TOKENS[0]):
    """-> a Function, or None with too little or too much to say. head: its signature, on one line; body: its lines, each cleaned;
    before: whether the documentation stands before the signature, as outside of Python; least: tokens of a passage."""
    room = TOKENS[1] - tokens(head)
    if room < TOKENS[1] // 2:
        return None
    told = one_line(documentation)
    if tokens(told) + tokens(" ".join(body)) + QUOTES > room:
        told = shortened(told, DOCUMENTATION)
    shown, bare = beginning(body, room - tokens(told) - QUOTES), beginning(body, room)
    parts = [f"/** {told} */", head] if before else [head, f'"""{told}"""']
    passage = " ".join([*parts, *shown])
    if (body and not shown) or tokens(passage) < least:
        return None
    sentence = shortened(first_sentence(documentation), DOCUMENTATION // 2)
    is_told = len(sentence) >= QUESTION and " " in sentence
    return Function(sentence if is_told else name_in_words(name), is_told, passage, " ".join([head, *bare]))


def of_node(node, lines):
    """-> a Function, or None without documentation or with too little to say."""
    documentation = ast.get_docstring(node)
    if not documentation or not documentation.strip():
        return None
    text = node.body[0]
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    # Columns are in bytes. What shares a line with the documentation stays: def f(): "Text."; return 1
    before = [*lines[first - 1:text.lineno - 1], lines[text.lineno - 1][:text.col_offset]]
    after = [lines[text.end_lineno - 1][text.end_col_offset:].lstrip(b" ;"), *lines[text.end_lineno:node.end_lineno]]
    head, *body = (part.decode("utf-8", "replace") for part in (b" ".join(before), *after))
    body = [one_line(line) for line in body if line.strip()]
    return function_of(node.name, one_line(head), documentation, body) if body else None


def of_source(source):
    """-> the functions of a source in bytes, also nested ones and methods, in their order; none if it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
        lines = source.decode("utf-8-sig").encode().splitlines()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
        function = of_node(node, lines)
        if function:
            yield function


def of_folder(root):
    for path in sorted(root.rglob("*.py")):
        if path.is_file() and not path.is_symlink() and not OTHERS & set(path.relative_to(root).parts) \
                and path.stat().st_size <= SOURCE_BYTES:
            yield from of_source(path.read_bytes())

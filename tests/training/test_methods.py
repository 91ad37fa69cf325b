# SPDX-License-Identifier: Apache-2.0
"""Methods of C#, Java and JavaScript with their documentation: what is found, how it reads, and what odd files do."""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "training" / "scripts"))

import downloads  # noqa: E402
import functions  # noqa: E402
import methods  # noqa: E402


def found(made):
    return [function for function in made if function]


def assembly(members):
    return f"<doc><members>{members}</members></doc>".encode()


LOAD = """<member name="M:Some.Space.Store`1.Load(System.String,System.Collections.Generic.List{System.Int32},`0@)"><summary>
  Loads what <paramref name="path"/> holds, as <see cref="M:Some.Space.Store.Save(System.String)"/> wrote it.</summary>
  <param name="path">The <c>file</c> to read from.</param><param name="places">Where to begin.</param><param name="found"/>
  <returns><see langword="true"/> if there was such a file; otherwise, <see langword="false"/>.</returns></member>"""


def test_a_method_of_an_assembly():
    (one,) = found(methods.of_assembly(assembly(LOAD)))
    assert one.question == "Loads what path holds, as Save wrote it." and one.is_told
    assert one.bare == "Store.Load(string path, List<int> places, T found)"
    assert one.passage == (f"/** {one.question} path: The file to read from. places: Where to begin. Returns: true if there was such a file; "
                           f"otherwise, false. */ {one.bare}")


def test_constructors_explicit_interfaces_and_what_is_no_method():
    told = "<summary>Makes one of them from all that was given to it before, in the order in which it came, without a copy of it.</summary>"
    names = ["M:A.Stack.#ctor(System.Int32)", "M:A.Stack.System#IDisposable#Dispose", "P:A.Stack.Count", "T:A.Stack", "M:", "M:Odd", "nothing",
             "M:Some.&lt;G&gt;$A1.Match(System.String)"]
    made = found(methods.of_assembly(assembly("".join(f'<member name="{name}">{told}</member>' for name in names))))
    assert [function.bare for function in made] == ["new Stack(int)", "Stack.Dispose()"]


@pytest.mark.parametrize("source", [b"", b"<doc>", b"\xff\xfe", b"<doc/>", assembly('<member name="M:A.B.C"/>'),
                                    assembly('<member name="M:A.B.C"><summary> </summary></member>'), assembly("<member/>"),
                                    b'<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "' + b"&a;" * 10 + b'">]><doc>&c;</doc>'])
def test_other_files_have_no_methods(source):
    assert found(methods.of_assembly(source)) == []


NEW = """<section class="detail" id="a()"><h3>without</h3><div class="member-signature">int without()</div></section>
<section class="detail" id="b()"><h3>isBlank</h3><div class="member-signature"><span>@Deprecated(since="1") </span>public static&nbsp;boolean&nbsp;\
isBlank<wbr>&#8203;(CharSequence&nbsp;text)</div><div class="block"><p>Checks if a text is empty or only <code>blank</code>.</p></div>
<dl class="notes"><dt>Parameters:</dt><dd><code>text</code> - the text to check, may be null</dd><dt>Returns:</dt>
<dd>whether it is null, empty or blank</dd><dt>Since:</dt><dd>2.0</dd></dl></section>"""
OLD = """<a name="a--"></a><ul><li><h4>without</h4><pre>int&nbsp;without()</pre></li></ul><ul><li><h4>isBlank</h4>
<pre>public static&nbsp;boolean&nbsp;isBlank(CharSequence&nbsp;text)</pre><div class="block">Checks if a text is empty or only <code>blank</code>.</div>
<dl><dt><span class="paramLabel">Parameters:</span></dt><dd><code>text</code> - the text to check, may be null</dd>
<dt><span class="returnLabel">Returns:</span></dt><dd>whether it is null, empty or blank</dd><dt>Since:</dt><dd>2.0</dd></dl></li></ul>"""


@pytest.mark.parametrize("page", [NEW, OLD])
def test_a_method_of_a_page_of_java(page):
    (one,) = found(methods.of_page(page, "StringUtils"))
    assert one.question == "Checks if a text is empty or only blank."
    assert one.bare == "StringUtils: public static boolean isBlank(CharSequence text)"
    assert one.passage == f"/** {one.question} text - the text to check, may be null whether it is null, empty or blank */ {one.bare}"


BODY = "\n".join(f"  const {name} = combine( first.{name}, '}}' ); // {{ {name}" for name in ("alpha", "beta", "gamma", "delta", "omega"))
SCRIPT = f"""/**
 * Adds what {{@link Thing both}} have.
 *
 * ```js
 * add( 1, 2 );
 * ```
 * @param {{Object}} first - What comes first.
 * @return {{number}} The `sum`.
 */
function add( first ) {{
{BODY}
  return `}} ${{alpha}}`;
}}
const other = 7;
"""


def test_a_function_of_a_script_has_its_body():
    (one,) = found(methods.of_script(SCRIPT))
    assert one.question == "Adds what Thing both have."
    assert one.passage.startswith("/** Adds what Thing both have. first - What comes first. The sum. */ function add( first ) { const alpha = ")
    assert one.bare.startswith("function add( first ) {") and one.bare.endswith("return `} ${alpha}`; }")


def test_documentation_inside_of_a_declaration_is_left_out():
    (one,) = found(methods.of_script("/** Waits for something, for as long as it takes, but no longer than was said in what was given to it. */\n"
                                     "wait(options: {\n  /** How long, in seconds. */\n  long: number; /** cut */\n}): void;"))
    assert one.bare == "wait(options: { long: number; }): void;"


@pytest.mark.parametrize("declaration, name", [
    ("export default async function load(path) {", "load"), ("export declare function load<T>(path: string): T;", "load"),
    ("export abstract class Store<T> {", None), ("interface Store {", None), ("export default function () {", None), ("function* load() {", "load"), ("const load = async (path) => {", "load"), ("Store.prototype.load = function(path) {", "load"),
    ("load: function (path) {", "load"), ("static async load(path) {", "load"), ("load?(path: string): void;", "load"),
    ("const limit = 7;", None), ("if (x) {", None), ("return load(x);", None), ("limit: number;", None), ("", None)])
def test_names_of_declarations(declaration, name):
    assert methods.name_of(declaration) == name


TOLD = "Says enough of what it does, in more than a few words, so that a passage without any body is long enough to be kept."


@pytest.mark.parametrize("comment, rest", [
    (f"/** {TOLD} @private */".replace(" @", "\n * @"), "load() {}"), ("/** Copyright of somebody, all of it kept. */", "load() {}"),
    (f"/** {TOLD} */", "const limit = 7;"), (f"/** {TOLD} */", "/** More. */"), (f"/** {TOLD} */", ""), ("/***/", "load() {}"),
    ("/** Too short. */", "load() {}"), (f"/* {TOLD} */", "load() {}")])
def test_what_is_left_out_of_a_script(comment, rest):
    assert found(methods.of_script(f"{comment}\n{rest}\n")) == []


@pytest.mark.parametrize("rest", ["load() { // " + "x" * 9000, "load() { /* " + "x" * 9000 + "*/ }", "load() { '" + "x" * 9000, "load() { `\\", "load() { // x",
                                  "load" + "(" * 9000, "load() }}}}", "load() { /*", "load(" + "\n// a\n" * 3000], ids=range(9))
def test_declarations_without_an_end_are_cut(rest):
    source = f"/** {TOLD} */\n{rest}"
    begin = source.index("load")
    assert len(methods.declaration_at(source, begin)) <= methods.DECLARATION
    found(methods.of_script(source))


def test_reading_takes_time_by_the_size_alone():
    began = time.monotonic()
    for sign in ("/** ", "/**\n@", "<h4>", '<section class="detail"', '<section class="detail"<div class="member-signature">', "(", "`", "{@link ", "[", "<p ", "! [ ](",
                 "```", "/** a */ load(" + "x" * 50):
        source = sign * 4000
        found(methods.of_script(source[:methods.SOURCE_BYTES]))
        found(methods.of_page(source[:methods.SOURCE_BYTES], "A"))
        found(methods.of_script(f"/** {source} */ load() {{}}"))
    assert time.monotonic() - began < 60, sign[:20]


def test_a_package_gives_each_method_once_and_of_its_own_files_alone(tmp_path):
    def write(name, content):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)

    for version in ("net8.0", "net9.0"):
        write(f"store/lib/{version}/Store.xml", assembly(LOAD))
    write("store/other.xml", assembly(LOAD.replace("Load", "Other")))
    write("usr/share/doc/some/api/StringUtils.html", NEW)
    write("usr/share/doc/some/api/jquery.js", SCRIPT.replace("add(", "ask("))
    write("package/src/add.js", SCRIPT)
    write("package/src/add.min.js", SCRIPT.replace("add(", "min("))
    write("package/dist/add.js", SCRIPT.replace("add(", "dist("))
    write("package/src/odd.js", b"\xff\xfe/** \xff */ load() {")
    (tmp_path / "package/src/link.js").symlink_to(tmp_path / "package/src/add.js")
    assert [one.bare[:20] for one in methods.of_folder(tmp_path)] == ["function add( first ", "Store.Load(string pa", "StringUtils: public "]


def test_every_method_of_a_question_is_found_in_its_passage():
    for one in found([*methods.of_script(SCRIPT), *methods.of_assembly(assembly(LOAD)), *methods.of_page(NEW, "A")]):
        assert one.question in one.passage and one.question not in one.bare and functions.tokens(one.passage) <= functions.TOKENS[1]


def test_packages_of_nuget_are_unpacked_with_their_licence(tmp_path, monkeypatch):
    def called(*command, **options):
        content = command[command.index("--output") + 1] / "some.store" / "1.0"
        content.mkdir(parents=True)
        (content / "some.store.nuspec").write_text('\ufeff<package><license type="expression">MIT</license></package>', encoding="utf-8")
        (content / "LICENSE.txt").write_text("All may use it.")

    monkeypatch.setattr(downloads, "called", called)
    root, licences = downloads.fetch(("nuget:Some.Store@1.0",), tmp_path)
    assert (root / "some.store" / "some.store.nuspec").is_file() and licences == ["=== Some.Store@1.0\n\nMIT\nAll may use it.\n"]

"""Writes a page for each function of corio, for Doxygen: functions.py HEADERS PAGES SOURCE

HEADERS are the copies that headers.py makes, in which each declaration has its comment. A page has what the function
computes in a sentence, its formula, the forms in which it is called, an example, and then arguments, errors, cost, source
and functions beside it. Formulas are set by KaTeX, if node has it. Writes PAGES/functions.json: what is on which page."""
import glob
import html
import json
import os
import re
import subprocess
import sys
import textwrap

from formulas import inline, latex
from names import PRIVATE, counterparts, page_of_guide, sentences

headers, pages, source = sys.argv[1:4]
HIDDEN = re.compile(r"detail|algorithm\b|kernels|simd|solvers")


def without_slashes(line):
    """Returns the text of a line of a comment. Indented lines, which are formulas or code, keep their margin."""
    return line[3:] if line.startswith("///   ") else line[3:].removeprefix(" ")


def functions_of(path):
    """Yields (qualified name, comment, type of the result, arguments) for each function of a header."""
    spaces, comment = [], []
    lines = open(os.path.join(headers, path), encoding="utf-8").read().split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        opened, closed = re.match(r"namespace (\S+) \{$", line), re.match(r"\}  // namespace", line)
        if opened:
            spaces.append(opened.group(1))
        elif closed and spaces:
            spaces.pop()
        if line.startswith("///"):
            comment.append(without_slashes(line))
            continue
        if not comment:
            continue
        if line.startswith(("template", "requires")) and not line.startswith("template <>"):
            continue
        about, comment = comment, []
        if not re.match(r"[A-Za-z]", line) or line.startswith(("class", "struct", "using", "enum", "namespace", "concept")):
            continue
        text = line
        while text.count("(") > text.count(")") or not re.search(r"[{;]", text):
            if at >= len(lines) or len(text) > 2000:
                break
            text += " " + lines[at].strip()
            at += 1
        found = re.match(r"(?:inline |constexpr |CORIO_\w+ |\[\[nodiscard\]\] )*(.*?)\b(\w+)\((.*?)\)\s*(?:const\s*)?(?:[{;:]|requires\b)", text)
        if not found or "operator" in found.group(1) or HIDDEN.search("::".join(spaces)) or found.group(1).endswith("::"):
            continue
        space = "::".join(spaces).removeprefix("corio").removeprefix("::")
        yield (space + "::" if space else "") + found.group(2), about, found.group(1).strip(), found.group(3)


def guide_page(path):
    return "index" if path == "README.md" else page_of_guide(path)


def plain_type(text):
    """Returns a type without its qualifiers: const MatrixX<S>& becomes MatrixX."""
    text = re.sub(r"\b(const|typename|inline|constexpr|std::type_identity_t|auto) ?", "", text).replace("&", "").strip()
    return re.sub(r"<S>$|<Robot<S>>$", "", text.replace("std::type_identity_t", "")).strip()


def split(arguments):
    """Returns the name, type and default of each argument."""
    found, depth, part = [], 0, ""
    for c in arguments + ",":
        depth += (c in "<({") - (c in ">)}")
        if c == "," and depth == 0:
            argument, _, default = part.partition("=")
            name = re.search(r"(\w+)\s*$", argument.strip())
            if name:
                found.append((name.group(1), plain_type(argument[:argument.rindex(name.group(1))]), default.strip()))
            part = ""
        else:
            part += c
    return found


def form(name, result, arguments):
    """Returns a call with its result, such as crba(robot, data, q) -> MatrixX."""
    names = [argument + (f" = {default}" if default else "") for argument, _, default in split(arguments)]
    result = plain_type(result)
    return f"{name}({', '.join(names)})" + (f" -> {result}" if result not in ("", "void") else "")


# These arguments mean the same everywhere; they are described so unless a comment describes them.
USUAL = {"robot": "a `Model`, or a `Mechanism` in its independent speeds", "model": "the robot, a `Model`",
         "mechanism": "the robot, a `Mechanism`",
         "data": "workspace of the robot, one for each thread; it keeps the state, which forms without q read",
         "q": "nq, configuration", "v": "nv, generalized velocity", "a": "nv, rate of v", "y": "nv, independent speeds",
         "tau": "nv generalized forces (N m, N)"}


def parsed(comment):
    """Splits a comment into paragraphs, formulas, and the texts of commands of Doxygen."""
    parts, kind, block = [], "text", None
    for line in comment:
        if line.startswith("@code"):
            block = []
            parts.append(("formula" if "unparsed" in line else "code", block))
        elif line.startswith("@endcode"):
            block = None
        elif block is not None:
            block.append(line)
        elif re.match(r"@(t?param|returns?|throws|pre|see|note|par)\b", line):
            tag, _, rest = line[1:].partition(" ")
            kind = rest if tag == "par" else tag.split("[")[0]  # Cost, Source
            parts.append((kind, [] if tag == "par" else [rest]))
        elif not line.strip():
            kind = "text"
            parts.append(("text", []))
        elif parts and parts[-1][0] == kind and kind not in ("formula", "code"):
            parts[-1][1].append(line.strip())
        else:
            parts.append(("text", [line.strip()]))
            kind = "text"
    return [(k, lines if k in ("formula", "code") else " ".join(lines).strip()) for k, lines in parts if lines]


def comment_of(path):
    """Returns the comment on a header, which holds for all its functions."""
    text = open(os.path.join(headers, path), encoding="utf-8").read()
    block = re.search(r"^/// `#include <.*\n((?:///.*\n)*)\nnamespace", text, flags=re.M)
    return parsed([without_slashes(line) for line in block.group(1).splitlines()]) if block else []


found = {}
for folder, _, files in os.walk(headers):
    for file in sorted(files):
        path = os.path.relpath(os.path.join(folder, file), headers)
        if not file.endswith(".hpp") or PRIVATE.match(path):
            continue
        for name, comment, result, arguments in functions_of(path):
            found.setdefault((name, path), []).append((comment, result, arguments))

# Tests compile and run these programs, which show how a function is called.
examples = []
for path in [os.path.join(source, "README.md"), *sorted(glob.glob(os.path.join(source, "include/corio/**/*.md"), recursive=True))]:
    for block in re.findall(r"^```cpp\n(.*?)^```", open(path, encoding="utf-8").read(), flags=re.M | re.S):
        examples.append((os.path.relpath(path, source), block))
programs = {os.path.basename(p)[:-4]: open(p, encoding="utf-8").read()
            for p in sorted(glob.glob(os.path.join(source, "examples/*.cpp")))}
# Functions are related if they are in one row of a table of the guide, or in neighbouring rows.
rows = []
for path in sorted(glob.glob(os.path.join(source, "include/corio/guide/*.md"))):
    if not path.endswith(("coming_from.md", "bad_input.md")):
        of_page = [re.findall(r"`(\w+(?:::\w+)*)`", row)
                   for row in re.findall(r"^\|.*$", open(path, encoding="utf-8").read(), flags=re.M)]
        rows += [(row, of_page[max(i - 1, 0)] + row + (of_page[i + 1] if i + 1 < len(of_page) else []))
                 for i, row in enumerate(of_page)]

theirs = {}  # names in other libraries, by the name in corio
with open(os.path.join(source, "include/corio/guide/coming_from.md"), encoding="utf-8") as file:
    for library, name, ours in counterparts(file.read()):
        theirs.setdefault(ours, []).append(f"{name} ({library})")

# The forms of a Model come before the forms of a Mechanism, whose headers have defaults of their own.
names = {}
for (name, path) in found:
    names.setdefault(name, []).append(path)
for paths in names.values():
    paths.sort(key=lambda path: (path.startswith("mechanism/"), path))
for forms in found.values():
    forms.sort(key=lambda form: "Mechanism<" in form[2] and "Model<" not in form[2])


def page_of(name):
    return "page_f_" + re.sub(r"\W+", "_", name)


def render(formulas):
    """Returns the HTML of formulas in LaTeX, or None for each if KaTeX is not installed."""
    script = ("const k = require('katex'); const all = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
              "process.stdout.write(JSON.stringify(all.map(f => { try { return k.renderToString(f, {displayMode: true, "
              "output: 'html', strict: 'ignore'}); } catch (e) { return null; } })))")
    try:
        done = subprocess.run(["node", "-e", script], input=json.dumps(formulas), capture_output=True, text=True, check=True,
                              env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})
        return json.loads(done.stdout)
    except (OSError, subprocess.CalledProcessError):
        return [None] * len(formulas)


def joined(lines):
    """Joins lines of a comment that belong to one formula."""
    out = []
    for line in (x.strip() for x in lines):
        if not line:
            continue
        if out and (re.search(r"[+\-=/]$", out[-1]) or re.match(r"[+\-=/] ", line)):
            out[-1] += " " + line
        else:
            out.append(line)
    return out


TITLES = {"throws": "Errors", "return": "Returns", "returns": "Returns", "Cost": "Cost", "Source": "Source"}


def is_list(lines):
    """Whether lines are a list in columns, names with their meaning, and not formulas."""
    return any(re.match(r"\s+\S+(, \S+)*\s{2,}[a-z]\w+ \w+|\s{20,}[a-z]+ ", x) for x in lines)


contents = {key: parsed(forms[0][0]) for key, forms in found.items()}
comments_of_headers = {path: comment_of(path) for _, path in found}
all_formulas = [latex(f) for parts in [*contents.values(), *comments_of_headers.values()]
                for kind, value in parts if kind == "formula" and not is_list(value) for f in joined(value)]
rendered = dict(zip(all_formulas, render(all_formulas)))


def formula_block(lines):
    out = []
    for f in joined(lines):
        code = rendered.get(latex(f))
        out.append(f"@htmlonly <div class=\"formula-line\">{code}</div> @endhtmlonly" if code else
                   f"@htmlonly <pre class=\"fragment\">{html.escape(f)}</pre> @endhtmlonly")
    return "\n\n".join(out)


def order(argument, forms):
    """Returns the position of an argument in the longest form that has it."""
    calls = sorted(([x for x, _, _ in split(text)] for _, _, text in forms), key=len, reverse=True)
    return next(((i, call.index(argument)) for i, call in enumerate(calls) if argument in call), (0, 0))


def described(name, path):
    """Returns the part of the page of a function that one header declares."""
    forms = found[name, path]
    listed = list(dict.fromkeys(form(name, result, arguments) for _, result, arguments in forms))
    lines = [f"```cpp\n#include <corio/{path}>\n```", "",
             "\n".join(["@htmlonly <ul class=\"forms\">", *(f"<li><code>{html.escape(f)}</code></li>" for f in listed),
                        "</ul> @endhtmlonly"]), ""]
    arguments, more = [], {"Returns": [], "Errors": [], "Cost": [], "Source": []}

    def describe(parts):
        """Writes paragraphs. Those with a title go to the end of the page, unless the function has its own with this title."""
        titled = {}
        for kind, value in parts:
            if kind == "text":
                lines.extend([inline(value), ""])
            elif kind in TITLES:
                titled.setdefault(TITLES[kind], []).append(value)
            elif kind == "formula":
                lines.extend(["```\n" + textwrap.dedent("\n".join(value)) + "\n```" if is_list(value) else formula_block(value), ""])
            elif kind == "code":
                lines.extend(["```cpp\n" + textwrap.dedent("\n".join(value)) + "\n```", ""])
        for title, texts in titled.items():
            more[title] = more[title] or texts

    describe(contents[name, path])
    of_header = comments_of_headers[path]
    if any(kind == "text" for kind, _ in of_header):
        lines += [f"**All of {os.path.basename(path)}**", ""]
    describe(of_header)
    taken = {x: (type, default) for _, _, text in reversed(forms) for x, type, default in split(text)}
    for parts in [*(parsed(comment) for comment, _, _ in forms), of_header]:
        for kind, value in parts:
            what, _, about = value.partition(" ") if kind == "param" else ("", "", "")
            of_parameter = [x for x in what.split(",") if x in taken]
            if of_parameter and not any(x in a for x in of_parameter for a, _ in arguments):
                arguments.append((of_parameter, about.strip()))
    # Arguments are listed in the order of the call. One without a description has its usual meaning, or its type.
    told = {a: (names, about) for names, about in arguments for a in names}
    arguments = list({tuple(told[a][0]) if a in told else (a,):
                      told[a][1] if a in told else USUAL.get(a) or f"`{type or a}`" + (f", `{default}` if left out" if default else "")
                      for a, (type, default) in sorted(taken.items(), key=lambda x: order(x[0], forms))}.items())
    if arguments:
        lines += ["| argument | |", "|---|---|",
                  *(f"| `{', '.join(a)}` | {inline(b).replace('|', chr(92) + '|')} |" for a, b in arguments), ""]
    for title, texts in more.items():
        if any(texts):
            lines += [f"**{title}** " + inline(" ".join(x for x in texts if x)), ""]
    return lines


def links(those):
    return ", ".join(f"[{n}](@ref {page_of(n)})" for n in those)


index = []
for name, paths in sorted(names.items()):
    short = name.split("::")[-1]
    lines = [f"# {name} {{#{page_of(name)}}}", ""]
    for path in paths:
        lines += described(name, path)
    call = re.compile(r"\b" + re.escape(short) + r"(<[\w, ]*>)?\(")
    used = sorted((b for b in examples if call.search(b[1])), key=lambda b: len(b[1]))
    if used:
        lines += [f"From [{os.path.basename(used[0][0])}](@ref {guide_page(used[0][0])}), compiled and run by a test:", "",
                  "```cpp\n" + used[0][1].rstrip() + "\n```", ""]
    where = [f"[{p}](@ref page_example_{p})" for p, text in programs.items() if call.search(text)]
    if where:
        lines += ["Called by the examples " + ", ".join(where) + ".", ""]
    beside = [n for n, p in found if p in paths]
    beside += [n for near in (0, 1) for row in rows if short in row[0] for n in row[near] if n in names]
    beside = [n for n in dict.fromkeys(beside) if n != name][:8]
    if name in theirs:
        lines += ["In [other libraries](@ref page_guide_coming_from): " + "; ".join(dict.fromkeys(theirs[name])) + ".", ""]
    if beside:
        lines += ["See also " + links(beside) + ".", ""]
    parts = [p for path in paths for p in [*contents[name, path], *comments_of_headers[path]]]
    first = next((sentences(value)[0] for kind, value in parts if kind == "text" and value), "")
    plain = " ".join(value if isinstance(value, str) else " ".join(value) for _, value in parts)
    index.append({"name": name, "page": page_of(name), "about": first, "text": plain})
    with open(os.path.join(pages, page_of(name) + ".md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))

with open(os.path.join(pages, "page_f.md"), "w", encoding="utf-8") as file:
    file.write("# Functions from A to Z {#page_f}\n\n| | |\n|---|---|\n")
    for x in sorted(index, key=lambda x: x["name"].lower()):
        about = x["about"].replace("|", "\\|").replace("\n", " ")
        file.write(f"| [{x['name']}](@ref {x['page']}) | {about} |\n")
with open(os.path.join(pages, "functions.json"), "w", encoding="utf-8") as file:
    json.dump(index, file)

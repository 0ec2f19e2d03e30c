"""Copies the Markdown of corio for Doxygen: pages.py SOURCE OUTPUT [EXAMPLES]

Links between files, which readers of the sources follow, become links of the site: to pages and their headings, to
headers and to examples. Files that the site does not have, such as tests, keep their name without a link. Fails for a
link to a file or heading that does not exist. EXAMPLES is the folder in which the examples have drawn their figures."""
import glob
import json
import os
import re
import sys

from names import group_of, page_of_guide

source, output = sys.argv[1:3]
examples = sys.argv[3] if len(sys.argv) > 3 else ""
pages = {"README.md": "index", "bench/README.md": "page_bench_readme"}
for folder, _, files in os.walk(os.path.join(source, "include/corio")):
    for name in files:
        if name.endswith(".md"):
            path = os.path.relpath(os.path.join(folder, name), source)
            pages[path] = page_of_guide(path)
for path in glob.glob("examples/*/README.md", root_dir=source):  # recipes: in place of the example's first comment
    pages[path] = "page_example_" + path.split("/")[1]


def slug(heading):
    """Returns the anchor that forges give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).strip().replace(" ", "-")


def outside_code(text, change):
    """Applies `change` to all but blocks of code."""
    parts = re.split(r"(^```.*?^```|^    .*?$)", text, flags=re.M | re.S)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


texts = {path: open(os.path.join(source, path), encoding="utf-8").read() for path in pages}
headings = {path: {slug(h) for h in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)}
            for path, text in texts.items()}
errors = []
functions = {}  # with the pages that functions.py made
if os.path.exists(os.path.join(output, "functions.json")):
    with open(os.path.join(output, "functions.json"), encoding="utf-8") as file:
        functions = {function["name"]: function["page"] for function in json.load(file)}


def example_page(path):
    return "page_example_" + os.path.basename(path)[:-len(".cpp")]


def link(path):
    def change(match):
        words, target = match.group(1), match.group(2)
        if re.match(r"https?://", target):
            return match.group(0)
        plain = words  # the text without a link; Doxygen shows the words of a link as they are
        words = re.sub(r"\s+", " ", words.replace("`", ""))  # Doxygen ends a link with its line
        file, _, anchor = target.partition("#")
        there = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if not os.path.exists(os.path.join(source, there)):
            errors.append(f"{path}: no file {target}")
            return plain
        if there in pages:
            if anchor and anchor not in headings[there]:
                errors.append(f"{path}: no heading {target}")
            page = pages[there] if pages[there] != "index" else "index"
            return f"[{words}](@ref {page + '_' + anchor.replace('-', '_') if anchor else page})"
        if there.startswith("include/") and there.endswith(".hpp") and words in functions:
            return f"[{words}](@ref {functions[words]})"
        if there.startswith("include/") and there.endswith(".hpp"):
            return f"[{words}](@ref {group_of(there.removeprefix('include/corio/'))})"
        if re.fullmatch(r"examples/\w+\.cpp", there):
            return f"[{words}](@ref {example_page(there)})"
        if there.startswith("include/corio/") and os.path.isdir(os.path.join(source, there)):
            return f"[{words}](@ref {group_of(there.removeprefix('include/corio/'))})"
        if there == "examples":
            return f"[{words}](@ref page_examples)"
        return plain
    return change


def heading(page):
    def change(match):
        level, words = match.groups()
        if len(level) == 1:
            return f"{level} {words} {{#{page}}}" if page != "index" else f"{level} {words}"
        return f"{level} {words} {{#{page}_{slug(words).replace('-', '_')}}}"
    return change


def figure(path, about):
    """Returns a picture that a click shows alone, in its full size."""
    return f'<a href="{path}" title="full size"><img src="{path}" alt="{about}"/></a>'


os.makedirs(output, exist_ok=True)
recipes = {}
for path, page in pages.items():
    def change(part):
        part = re.sub(r"!\[([^\]]*)\]\([^)]*/([^)/]*)\)", lambda m: figure(m.group(2), m.group(1)), part)
        part = re.sub(r"\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)", link(path), part)
        return re.sub(r"^(#+) (.*)$", heading(page), part, flags=re.M)
    text = outside_code(texts[path], change)
    if path.endswith("coming_from.md"):  # corio's names, which stand in the last column
        text = re.sub(r"^(\|.*\|)(.*\|)$", lambda row: row.group(1) + re.sub(
            r"(?<!\[)`([\w:]+)(\([^`]*\))?`(?!\])", lambda m: f"[{m.group(1)}{m.group(2) or ''}](@ref {functions[m.group(1)]})"
            if m.group(1) in functions else m.group(0), row.group(2)), text, flags=re.M)
    if path.startswith("examples/"):
        recipes[page] = text
        continue
    with open(os.path.join(output, page + ".md"), "w", encoding="utf-8") as file:
        file.write(text)

# The page of an example has its first comment and the program.
index = ["# Examples {#page_examples}", "", "| example | what it shows |", "|---|---|"]
for name in sorted(os.listdir(os.path.join(source, "examples"))):
    if not name.endswith(".cpp"):
        continue
    with open(os.path.join(source, "examples", name), encoding="utf-8") as file:
        text = file.read()
    comment = re.match(r"(//.*\n)*", text).group(0)
    page = example_page(name)
    about = re.sub(r"^// ?", "", comment, flags=re.M)
    about = re.sub(r"^  (?=\S)", "      ", about, flags=re.M)  # commands, set as code
    about = re.sub(r"^(?! {4}).*$", lambda m: m.group(0).replace("--", "\\--"), about, flags=re.M)
    about = re.sub(r"<(\w+)>", r"&lt;\1&gt;", about)
    first = re.split(r"\n\n|(?<=[a-z)])[.:] ", about.replace("\n", " ").strip() or "The first program of the README")[0]
    index.append(f"| [{name[:-4]}](@ref {page}) | {first} |")
    with open(os.path.join(output, page + ".md"), "w", encoding="utf-8") as file:
        figures = "".join(figure(os.path.relpath(svg, examples), f"A figure of {name}") + "\n\n"
                          for svg in sorted(glob.glob(os.path.join(examples, name[:-4] + "_output", "*.svg"))))
        robots = "".join(f'<a href="{os.path.relpath(html, examples)}">{os.path.basename(html)}</a>: a page that it wrote\n\n'
                         for html in sorted(glob.glob(os.path.join(examples, name[:-4] + "_output", "*.html"))))
        if name == "equations_of_motion.cpp":
            figures = figure("equations_of_motion.svg", "M, C and torques of a humanoid") + "\n\n"
        head = recipes.get(page, f"# {name} {{#{page}}}\n\n{about}")
        file.write(f"{head}\n{robots}{figures}```cpp\n{text[len(comment):].strip()}\n```\n")
with open(os.path.join(output, "page_examples.md"), "w", encoding="utf-8") as file:
    file.write("\n".join(index) + "\n")
# A page that the layout names keeps its place in the sidebar.
with open(os.path.join(source, "cmake/docs/layout.xml"), encoding="utf-8") as file:
    layout = file.read()
for page, children in (("page_f", functions.items()),
                       ("page_examples", ((n[:-4], example_page(n)) for n in sorted(os.listdir(os.path.join(source, "examples")))
                                          if n.endswith(".cpp")))):
    inside = "".join(f'\n        <tab type="user" url="@ref {there}" title="{name}"/>' for name, there in children)
    layout = re.sub(rf'<tab type="user" url="@ref {page}" title="([^"]*)"/>',
                    lambda m: f'<tab type="usergroup" url="@ref {page}" title="{m.group(1)}">{inside}\n      </tab>', layout)
with open(os.path.join(output, "layout.xml"), "w", encoding="utf-8") as file:
    file.write(layout)
if errors:
    sys.exit("\n".join(errors))

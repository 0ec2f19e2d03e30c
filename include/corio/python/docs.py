"""Writes docs.hpp, which has for each function and class of the package what corio's headers say about it.
docs.py INCLUDE DOCS SOURCES.."""
import pathlib
import re
import sys

include, output = pathlib.Path(sys.argv[1]), sys.argv[2]
sources = [pathlib.Path(source).read_text() for source in sys.argv[3:]]
text = "".join(source for source in sources if "CORIO_TABLE" in source)
names = set(re.findall(r'(?:"|CORIO_(?:LINE|PACKS)\(\s*\w+,\s+|CORIO_(?:MANIFOLD|GROUP)\()(\w+)[(,]', text))
names |= {n for source in sources for n in re.findall(r'\bm,\s+"(\w+)', source)}
names |= {f + end for f in re.findall(r"CORIO_REGRESSOR\(\w+, (\w+),", text) for end in ("", "_product", "_transpose_product")}
# Sentences about the lifetime of results, about templates and other scalars have no meaning in Python.
CPP = re.compile(r"template|\bscalar|overload|reference to|\bvalid until|allocat|const&|std::|``?Factorization|@tparam|Data\b|\bview|codegen|compile")


def python(comment):
    text = re.sub(r"\n(?=@)", "\n\n", re.sub(r"^  .*\bmodel, data\b.*\n?", "", "\n".join(comment), flags=re.M).strip())
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.startswith(("  ", "@param  model", "@param model")) and re.search(CPP.pattern + r"|;$|; *//", paragraph, re.M):
            continue
        kept = [s for s in re.split(r"(?<=[.:])\s+(?=[A-Z])", paragraph) if not CPP.search(s)]
        if kept:
            paragraphs.append(" ".join(kept))
    return "\n\n".join(paragraphs)


docs, together = {}, {}  # together: the comment of the function above, by the name of a function without one
for path in sorted(include.glob("corio/**/*.hpp"), key=lambda p: ("mechanism" in p.parts, p)):  # of a Model, if it takes one
    comment, above = [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("///"):
            comment.append(line[3:].removeprefix(" "))
            continue
        if line.startswith((" ", "template", "requires")):
            continue
        found = re.match(r"(?:inline )?[\w:<>,&* ]+?\b(\w+)\(|(?:class|struct) (\w+) ", line)
        name = found and (found.group(1) or ({"control", "identification", "simulation"} & set(path.parts) and found.group(2)))
        if name and name in names and not {"batch", "python"} & set(path.parts):
            if comment:
                above = python(comment) + f"\n\nDeclared in {path.relative_to(include)}."
            (docs if comment else together).setdefault(name, above)
        comment = []
# Headers document some functions together with the one above them.
for suffix, text in {"_transpose_product": "Y^T z, without Y being formed", "_product": "Y pi, without Y being formed",
                     "_dot": "The rate of the result"}.items():
    for name in sorted(names - set(docs)):
        if name.endswith(suffix) and name.removesuffix(suffix) in docs:
            of = name.removesuffix(suffix)
            docs[name] = f"{text}, of {of}:\n\n{docs[of]}"
docs = {name: text for name, text in together.items() if text} | docs
entries = "".join(f'      {{"{name}", R"doc({docs[name]})doc"}},\n' for name in sorted(docs))
pathlib.Path(output).write_text(
    "#pragma once\n#include <map>\n#include <string>\n\nnamespace corio::python {\n\n"
    "std::string doc_of(const std::string& name) {\n  static const std::map<std::string, const char*> all{\n"
    f"{entries}  }};\n  const auto found = all.find(name);\n  return found == all.end() ? \"\" : found->second;\n}}\n\n}}\n")

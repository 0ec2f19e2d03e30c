"""Writes docs.hpp: doc_of(name) is what the headers say about a function, module.function, a class, or Class.member.
docs.py INCLUDE DOCS SOURCES.."""
import pathlib
import re
import sys
import textwrap

include, output, *sources = map(pathlib.Path, sys.argv[1:])
PYTHON_NAMES = {"optimize_excitation": "excite", "JointRecording": "Recording", "write_urdf": "to_urdf"}
# Arguments that have another form in C++.
FORMS = {"frame": "name of a body or frame",
         "reference": "'body': axes and origin of the frame; 'world': axes and origin of the world; 'world_aligned': "
                      "axes of the world, about the frame's origin",
         "point": "in body axes, replaces the frame's origin",
         "joints": "names of joints, or of single speeds: 'ball[2]'",
         "external": "{frame: [moment, force]} in world axes at its origin, or {(frame, reference): [moment, force]}",
         "limits": "numbers of joints in place of the model's: lower, upper, velocity, acceleration, effort"}
# Sentences about templates, overloads, memory and the lifetime of results have no meaning in Python.
CPP = re.compile(r"template|\b[Ss]calars\b|\bScalar|overload|reference to|[Vv]alid until|[Aa]llocat|const&|std::|"
                 r"Data\b|`data`|\bdata\.|\bviews?\b|codegen|compile|changed in place|overwritten|[Oo]verlap|\bPack|"
                 r"Taylor|@tparam|@returns data|moved-from|model\.body\(|be\s+recorded")
# Snippets, names of headers, and the model and data of a call are left out.
SKIPPED = re.compile(r"^  .*(\)\s*;|\bdata,|//|corio::).*\n?|\s+\((see |with )?[\w/]+\.hpp\)|"
                     r"StateError before [^.;]*[.;]?\s*|\((robot|model), data(, where)?\)", re.M)


def expanded(text):
    """A source with its macros of text in place, each valid up to the next, and with literals joined."""
    parts = re.findall(r'(?:#define (\w+) ("[^\n]*"))?(.*?)(?=#define|\Z)', text, re.S)
    return re.sub(r'"\s*"', "", "".join(re.sub(rf"\b{macro or '#'}\b", value, rest) for macro, value, rest in parts))


def declarations(text):
    """(class or None, name, comment) of each declaration of a header; neighbours share a comment."""
    owner, comment, ended = None, [], True
    for line in text.splitlines():
        indent = "  " if owner else ""
        found = re.match(indent + r"(?! |template|requires)((class|struct) (\w+)[^;]*$|([^;(={]+[ &*])?(\w+)\()", line)
        if line.startswith(indent + "///"):
            comment = [*([] if ended else comment), line[len(indent) + 3:].removeprefix(" ")]
        elif found:
            yield owner, found[3] or found[5], "\n".join(comment)
            owner = owner or (found[3] if line.endswith("{") else None)
        elif line in ("", "};"):
            owner, comment = None if line else owner, []
        ended = not line.startswith(indent + "///")


def filled(p):
    """A paragraph in lines of one length, unless it has formulas."""
    if not p.startswith("@") and re.search("^  ", p, re.M):
        return p
    p = re.sub(r"^(@param .*?)  +", r"\1  ", re.sub(r"\s*\n\s*", " ", p))
    return textwrap.fill(p, 116, subsequent_indent="    " * (p[0] == "@"), break_on_hyphens=False)


def python(comment, arguments, forms):
    """The paragraphs of a comment that have a meaning in Python; of parameters, those among the arguments."""
    kept, described = [], set()
    for p in re.split(r"\n\s*\n", re.sub(r"\n(?=@)", "\n\n", comment)):
        names = set(re.findall(r"\w+", p[6:].strip().split("  ")[0])) if p.startswith("@param") else set()
        sentences = re.split(r"(?<=\.)(\s+)(?=[A-Za-z`])", SKIPPED.sub("", p))
        p = "".join(s + gap for s, gap in zip(sentences[::2], [*sentences[1::2], ""]) if not CPP.search(s)).rstrip()
        if names <= arguments - {"external"} and re.match("@param" if names else r"(@\w+\s)?[\s.]*[^@\s.]", p):
            kept.append(filled(re.sub(r"\b(\w+)::(?=\w)", r"\1.", re.sub(r"\bmodel\.(\w+)\(\)", r"model.\1", p))))
            described |= names
    more = [filled(f"@param {name}  {form}") for name, form in forms.items() if kept and name in arguments - described]
    return "\n\n".join(kept + more)


code, arguments, docs = "".join(expanded(path.read_text(encoding="utf-8")) for path in sources), {}, {}
for name, line in re.findall(r'(\w*)(?:,\s*)?"?\(([^"]*?)\)(?: ->|")', code):  # "name(arguments)"; constructors: ""
    arguments.setdefault(name, set()).update(re.findall(r"(?:^|, )(\w+)", line))
# The first comment found counts: that of the shortest name, and of a Model rather than a Mechanism.
headers = sorted(include.glob("corio/**/*.hpp"), key=lambda p: (len(p.name), p))
for path in sorted(headers, key=lambda p: "io" in p.parts or "mechanism" in p.parts):
    module = next((m + "." for m in ("urdf", "mjcf", "zoo") if m in (path.parent.name, path.stem)), "")
    for owner, name, comment in declarations(path.read_text(encoding="utf-8")):
        name, is_class = PYTHON_NAMES.get(name, name), name == owner or name[0].isupper()
        text = python(comment, arguments.get("" if is_class else name, set()), {} if is_class else FORMS)
        if text and not {"batch", "python", "detail", "codegen"} & set(path.parts):
            key = f"{owner}.{name}" if owner else module + name
            docs.setdefault(key, f"{text}\n\nDeclared in {path.relative_to(include)}.")
words, members = (set(re.findall(p, code)) for p in (r"\w+", r'\.(?:function|property|def_property)\(\s*"(\w+)'))
docs = {f"Model.{name}": docs[name] for name in members & set(docs)} | docs  # functions of a model in C++
docs = {name: "\n\n".join(docs[key] for key in (name, f"{name}.{name}") if key in docs)  # a class, and its constructor
        for name in docs if words.issuperset(name.split(".")) and f"urdf.{name}" not in docs}
docs |= {f"{name}_{product}": f"As {name}, without Y being formed." for name in docs if name.endswith("_regressor")
         for product in ("product", "transpose_product")}
entries = "".join(f'      {{"{name}", R"doc({text})doc"}},\n' for name, text in sorted(docs.items()))
output.write_text("""#pragma once\n#include <map>\n#include <string>\n
namespace corio::python {
std::string doc_of(const std::string& name) {
  static const std::map<std::string, const char*> all{
%s  };
  const auto found = all.find(name);
  return found == all.end() ? "" : found->second;
}
}  // namespace corio::python
""" % entries, encoding="utf-8")

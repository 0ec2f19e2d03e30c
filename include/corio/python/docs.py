"""Writes docs.hpp, which has for each function and class of the package what corio's headers say about it.
docs.py INCLUDE DOCS SOURCES..

The keys are function, module.function for urdf, mjcf and zoo, Class (with its constructor and fields), and Class.member."""
import pathlib
import re
import sys
import textwrap

include, output = pathlib.Path(sys.argv[1]), sys.argv[2]
MODULES = ("urdf", "mjcf", "zoo")
# Python's names, where they differ from C++.
ARGUMENTS = {"prescribed": "joints", "is_accepted": "accepted", "lambda": "lambda_", "point": "plane_point"}
NAMES = {"excite": "optimize_excitation", "DriveGains": "DriveGainEstimator.Result", "Recording": "JointRecording",
         "Model.to_urdf": "write_urdf", "Robot.v_indices": "Model.v_indices", "Simulation.energy": "Simulation.present_energy"}
# Arguments of the table that have another form in C++, and limits of excite.
TEXTS = {"frame": "name of a body or frame", "base": "name of the first body or frame", "frames": "names of bodies or frames",
         "reference": "'body': axes and origin of the frame; 'world': axes and origin of the world; 'world_aligned': axes\n"
                      "of the world, about the frame's origin",
         "point": "in body axes, replaces the frame's origin", "joints": "names of joints, or of single speeds: 'ball[2]'",
         "external": "{frame: [moment, force] in world axes about its origin}, or {(frame, reference): [moment, force]}",
         "limits": "numbers for each joint in place of the model's, by the keys lower, upper, velocity, acceleration and\n"
                   "effort; without the key, accelerations are at most 10",
         "instants": "number of instants, at equal distances"}
# Sentences about the lifetime of results, about templates and other scalars have no meaning in Python.
CPP = re.compile(r"template|\bscalars\b|\bScalars? |overload|reference to|\b[Vv]alid until|[Aa]llocat|const&|std::|``?Factorization|@tparam|"
                 r"Data\b|`data`|\bdata\.|\bview|codegen|compile|changed in place|overwritten|[Oo]verlap|\bPack|@returns data|cannot be\s+recorded|"
                 r"\b[Yy]our own|moved-from|for another C:|^Calls \w+ at the state|^Writes notes|share\(k|over Taylor|the work of tau in this step|"
                 r"This form takes the acceleration|This works in the euclidean metric")
CHANGES = [(r"^  .*(\bmodel, data\b|\)\s*;|corio::).*\n?", ""), (r"\s+\((?:see |with )?[\w/]+\.hpp\)", ""),
           (r", a copy changed by Model::set_inertia:[^.]*", ""),
           (r" exact friction or midpoint rules over packs or numbers that\s+record,", ""),
           (r"StateError before \w+\(\w+, data[^)]*\)(, |; | ?)", ""), (r"[,;] StateError for an? [^.,;]*", ""), (r"[,;] see detail::\w+", ""),
           (r"for users' joints whose axes\s+move\s+and\s+that\s+have\s+no\s+dual\s+form, and (?=for)", ""), (r"; and the errors of\s+users' joints", ""),
           (r"([;,] ModelError|[,;]? and) for users' joints whose axes\s+move\s+and\s+that\s+have\s+no\s+dual\s+form", ""),
           (r"[,;] ModelError for loops of another model", ""), (r"for (an? )?\w+( on a body)?\s+(of|from)\s+another\s+model", "for an unknown name"),
           (r"\bfactorization::(Christoffel|Plain)\b", r"\1"), (r"\bReferenceFrame::(\w+)", r"'\1'"), (r"\{2, 1, 0\}", "[2, 1, 0]"),
           (r"\b(model|loops)\.(\w+)\(\)", r"\1.\2"), (r"A row for each degree of freedom, a column", "A column for each degree of freedom, a row"),
           (r"(errors  )a column for each sample", r"\1a row for each sample"), (r"(?<=\|e\| of a )row", "column"),
           (r"(?<=the point )that `where`\s+names", "given"), (r"\((robot|model), data,\s+where\)", ""), (r"\bit is huge", "a is huge"),
           (r"\bD\.along\(l\)", "D[:, :, l]"), (r"D\.jacobian\(\)", "Jdot"), (r"an index that belongs to no\s+speed", "an unknown name"),
           (r"set_inertial_parameters\(model, values\(\)\) sets", "model.inertial_parameters = values sets"),
           (r"builder_from_text\(text, options\)\.build\(\), with", "Reads a robot from text, with"),
           (r": builder\(path, options\)\.build\(\)", ""), (r"base\.reduce\(Y\) of all instants", "Y[:, base.columns] of all instants")]


def arguments_of(sources):
    """Arguments of each key, {name: "array", "text" or ""}, and those of the table; choices of arguments, and fields."""
    found, table, choices, fields = {}, set(), {}, {}

    def add(key, line, of_table=False):
        line = re.sub(r"=(\([^()]*\)|\{\})", "=", line)
        kinds = {n: "array" if sizes else "text" if "'" in usual or n == "parameter" else "" for n, sizes, usual in re.findall(r"(\w+)(\[.*?\])?(=[^,]*)?", line)}
        found.setdefault(key, {}).update(kinds)
        table.update([key] if of_table else [])

    for source in sources:
        at, *parts = re.split(r'#define (?:AT|POSE) "(.*?)"\n', source)
        text = at + "".join(re.sub(r'"\s*\b(?:AT|POSE)\b(?:\s*")?', line, part) for line, part in zip(parts[::2], parts[1::2]))
        text = re.sub(r'"\s*\n\s*"', "", text)
        for f, line in re.findall(r'CORIO_(?:LINE|PACKS|MANIFOLD|GROUP)\((?:\s*\w+,\s+)??(\w+),\s+"\((.*?)\) ->', text) + re.findall(r'"(\w+)\(([^"]*?)\) ->', text):
            add(f, line, True)
        for f, line in re.findall(r'CORIO_REGRESSOR\(\w+, (\w+), "(.*?)"', text):
            add(f, line, True), add(f + "_product", line + ", pi", True), add(f + "_transpose_product", line + ", z", True)
        for module, f, line in re.findall(r'\bfunction\(\s*(\w+),\s+"([a-z]\w+)\((.*?)\)"', text):
            add(f"{module}.{f}" if module in MODULES else f, line)
        for f in re.findall(r"CORIO_SAMPLE\((\w+)\);", text):
            add(f"zoo.{f}", "")
        choices.update({name: "one of " + words.replace('"', "'") for name, words in re.findall(r'\{"(\w+)", \{((?:"\w+"(?:, )?)+)\}\}', text)})
        owner, shared = "", []  # bind_law makes classes with the same members
        for c, names, law, line, member, inputs in re.findall(
                r'(?:Class<[^;()]*>\s*\w*\(\s*m,\s+|bind_result(?:<\w+>)?\(\s*m,\s+)("\w+"|name)(?:,\s*"([\w ]*)")?|'
                r'bind_law<[\w<>]+>\(m, "(\w+)", "\((.*?)\)"|\.(?:init|function|property|def_property)\(\s*"(\w*)(?:\((.*?)\))?"', text):
            if c == "name":
                owner = ""
            elif owner := c.strip('"') or law or owner:
                add(owner + ("." + member if member else ""), line or inputs)
                fields.setdefault(owner, names.split())
            else:
                shared.append((member, inputs))
            for one in shared if law else ():
                add(f"{law}.{one[0]}", one[1])
    return found, table, choices, fields


def python(comment, arguments, of_table, choices, options):
    """The paragraphs of a comment that have a meaning in Python, with what the arguments are."""
    kept, described = [], set()
    for p in re.split(r"\n\s*\n", re.sub(r"\n(?=@)", "\n\n", "\n".join(comment).strip("\n"))):
        if p.startswith("  ") and re.search(CPP.pattern + r"|\bdata\b|;$|; *//", p, re.M):
            continue
        for old, new in CHANGES:
            p = re.sub(old, new, p, flags=re.M)
        if found := re.match(r"@param\s+(\w+(?:, \w+)*)\s+(.*)", p, re.S):
            names = [n if n in arguments else ARGUMENTS.get(n) for n in found.group(1).split(", ")]
            names = [n for n in names if n in arguments and n != "model" and not (of_table and n in TEXTS and n != "external" and arguments[n] != "array")]
            text = re.sub(r"\n *", "\n    ", found.group(2))
            if names == ["external"]:
                more = re.sub(r"^wrenches on bodies[,.;]?\s*(each with its axes and point)?", "", text)
                text = TEXTS["external"] + (";\n    " + more if more else "")
            described.update(names)
            p = f"@param {', '.join(names)}  {text}" if names else ""
        pieces = re.split(r"((?<=[.])\s+(?=[A-Za-z`])|(?<=:)\s+(?=[A-Z]\w+s? (?:of|are|is)\b))", p)
        p = "".join(s + gap for s, gap in zip(pieces[::2], pieces[1::2] + [""]) if not CPP.search(s)).strip("\n").rstrip()
        if p.strip(" .") and p != "@throws":
            kept.append(p)
    more = []
    for n, kind in arguments.items():
        text = TEXTS.get(n) if n in ("limits", "instants", "point") or (of_table and kind != "array") else None
        text = text or (choices.get(n) if kind == "text" else options.get(n))
        if text and n not in described:
            more.append(f"@param {n}  " + text.replace("\n", "\n    "))
    at = next((i for i, p in enumerate(kept) if re.match("@throws|@returns|Source|O\\(", p)), len(kept))
    return kept[:at] + more + kept[at:]


def filled(paragraph):
    """The paragraph in lines of 116 characters, unless it has lines of its own: formulas, lists."""
    indent = "    " if paragraph.startswith("@") else ""
    return paragraph if re.search(rf"^{indent or ' '}(?!$){'- ' if indent else ''}", paragraph, re.M) else textwrap.fill(
        re.sub(r"\n *", " ", paragraph), 116, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def declarations(path):
    """(owner, name, its comment, None) of each declaration, and (owner, "field, ..", None, comment) of fields."""
    owner, comment = None, []
    for line in path.read_text(encoding="utf-8").splitlines():
        indent = "  " if owner else ""
        if line.startswith(indent + "///"):
            comment.append(line[len(indent) + 3:].removeprefix(" "))
        elif owner and (field := re.match(r"\s+(?:[\w:]+(?:<[^;]*>)? )?(\w+(?:, \w+)*)(?: = [^;]*|\{\})?;(?:\s*//[/<]* (.*))?", line)):
            yield owner, field.group(1), None, field.group(2) or " ".join(comment)
            comment = []
        elif owner and not line:
            yield owner, None, [], None
        elif not line.startswith((indent + "  ", indent + "template", indent + "requires")):
            if found := re.match(indent + r"(?:(?:class|struct) (\w+)\b[^;]*$|(?:[\w:<>,&*\[\] ]+?[ &*])?(\w+)\()", line):
                yield owner, found.group(1) or found.group(2), comment, None
                owner = owner or (found.group(1) if line.endswith("{") else None)
            owner = None if line.startswith("};") else owner
            comment = []


arguments, table, choices, fields = arguments_of([pathlib.Path(source).read_text() for source in sys.argv[3:]])
comments, field_docs, options = {}, {}, {}  # by name, or Class.name; options by header and name
for path in sorted(include.glob("corio/**/*.hpp"), key=lambda p: ("mechanism" in p.parts, p)):  # of a Model, if it takes one
    if {"batch", "python", "detail", "codegen"} & set(path.parts):
        continue
    above = None
    for owner, name, comment, field in declarations(path):
        if comment is None:
            if field and re.search("Options|Prior|Columns|(?<!Friction)Gains|Preparation", owner):
                options.setdefault(path, {}).setdefault(name, field)
            field_docs.setdefault((owner, name), field)
            continue
        above, inherits = (comment, False) if comment or not name else (above, True)
        for key in [f"{owner}.{name}"] if owner else [name] + [f"{m}.{name}" for m in MODULES if m in (*path.parts, path.stem)]:
            if above and name:
                comments.setdefault(key, []).append((inherits or bool(CPP.search(above[0])), above, path))

docs = {}
for key, own in arguments.items():
    source, (owner, _, member) = NAMES.get(key, key), key.partition(".")
    found = comments.get(source, [])
    if owner in ("Model", "Mechanism") and member and not found:  # a function of a model
        found = [x for x in comments.get(member, []) if "io" not in x[2].parts and ("mechanism" in x[2].parts) == (owner == "Mechanism")]
    if key[0].isupper() and not member:
        found = [x for x in found if {"control", "identification", "simulation", "spatial"} & set(x[2].parts)]
    if found:
        _, comment, path = min(found, key=lambda x: x[0])
        made = comments.get(f"{source}.{source}", [])[:1]
        members = {n: x for (o, n), x in field_docs.items() if o == source} | options.get(path, {})
        text = python(comment, {} if made else own, key in table, choices, members)
        for _, constructor, _ in made:
            text += python(constructor, own, False, choices, members)
        text += [f"{names}: {x}" for (o, names), x in field_docs.items() if x and o == source and set(names.split(", ")) & set(fields.get(key, []))]
        docs[key] = re.sub(r"\b(\w+)::(?=\w)", r"\1.", "\n\n".join([*map(filled, text), f"Declared in {path.relative_to(include)}."]))
# Headers document some functions together with the one above them.
for suffix, text in {"_transpose_product": "Y^T z, without Y being formed", "_product": "Y pi, without Y being formed",
                     "_dot": "The rate of the result"}.items():
    for name in arguments:
        if name.endswith(suffix) and name not in docs and name.removesuffix(suffix) in docs:
            of = name.removesuffix(suffix)
            docs[name] = f"{text}, of {of}:\n\n{docs[of]}"
entries = "".join(f'      {{"{name}", R"doc({docs[name]})doc"}},\n' for name in sorted(docs))
pathlib.Path(output).write_text(
    "#pragma once\n#include <map>\n#include <string>\n\nnamespace corio::python {\n\n"
    "std::string doc_of(const std::string& name) {\n  static const std::map<std::string, const char*> all{\n"
    f"{entries}  }};\n  const auto found = all.find(name);\n  return found == all.end() ? \"\" : found->second;\n}}\n\n}}\n")

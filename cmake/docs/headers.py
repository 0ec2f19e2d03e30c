"""Copies headers for Doxygen: headers.py FOLDER OUTPUT

The comments of corio are written to be read in the headers. The copies differ from them in this:
- names in angle brackets, such as elements of files, are no tags of HTML;
- a comment is that of all declarations below it, up to the next empty line, and of the further forms of a function,
  each time with the arguments that this form has;
- a comment behind a member is that of the member;
- indented lines, formulas and code, are set as such;
- each header is a group of Doxygen, so that its functions have a page, below the group of its folder; the comment on its
  namespace is that of the group."""
import os
import re
import sys

from names import group_of, sentences, without_abi

source, output = sys.argv[1:3]


def escaped(text):
    """Escapes angle brackets outside of `code`, and the dots of products, which do not end the first sentence."""
    parts = re.split(r"(`[^`]*`)", re.sub(r"(?<=\S) \. (?=\S)", " \u00b7 ", text))
    return "".join(p if p.startswith("`") else re.sub(r">::(?=\w)", ">::%", re.sub(r"<(?=/?[A-Za-z])", "&lt;", p)) for p in parts)


def declaration(lines, at):
    """Returns the declaration that begins at a line, up to its body or end, without its templates."""
    text = "\n".join(lines[at:at + 12])
    text = re.sub(r"^\s*(template <.*|requires .*)$", "", text, flags=re.M).strip()
    return re.split(r"[{;]", text.replace("= {}", ""), maxsplit=1)[0]


def name_of(text):
    """Returns the name of the declared function or type, or ''."""
    alias = re.match(r"using (\w+) =", text)
    if alias:
        return alias.group(1)
    found = re.match(r"[\w:<>,&*\s\[\]]*?([\w:~]+|operator\S+)\(", text)
    return found.group(1) if found else ""


def without_cost(comment):
    """Returns the comment with cost and source in paragraphs of their own, instead of at the end of a command."""
    out, at = [], 0
    while at < len(comment):
        block = [comment[at]]
        at += 1
        while at < len(comment) and not re.match(r"///( @|   |$)", comment[at]) and comment[at - 1] != "///":
            block.append(comment[at])
            at += 1
        text = " ".join(line.removeprefix("///").strip() for line in block)
        if block[0].startswith("///   ") or not re.search(r"\bO\(|\bSources?: ", text):
            out += block
            continue
        text, _, origin = re.split(r"\b(Sources?: )", text, maxsplit=1) if re.search(r"\bSources?: ", text) else (text, "", "")
        cost = [s for s in sentences(text) if re.search(r"\bO\(", s)]
        kept = " ".join(s for s in sentences(text) if s not in cost).strip()
        kept = re.sub(r"^(@throws \w+)\.$", r"\1", kept)
        out += ["/// " + kept] if kept else []
        for title, what in (("Cost", " ".join(cost).strip().removeprefix("Cost ")), ("Source", origin.strip())):
            out += ["///", f"/// @par {title}", "/// " + what[:1].upper() + what[1:]] if what else []
    return out


def fitting(comment, text, margin):
    """Returns the comment with the @param of those arguments that the declaration has, and with indented lines as code."""
    kept, keep, item, block = [], True, False, []
    arguments = set(re.findall(r"\w+", text))

    def end_block():
        if block:
            kind = "{.cpp}" if re.search(r"(;|\}|;\s+//.*)$", block[-1].rstrip()) else "{.unparsed}"
            kept.extend(["/// @code" + kind, *block, "/// @endcode"])
            block.clear()

    for line in without_cost(comment):
        param = re.match(r"/// @t?param(\[\w+\])? ((?:\w+, )*\w+)(.*)", line)
        if line.startswith("///   "):
            if keep and item:
                kept.append(escaped(line))
            elif keep:
                block.append(line)
            continue
        end_block()
        if param:
            names = [n for n in param.group(2).split(", ") if n in arguments]
            keep = bool(names) or line.startswith("/// @tparam")
            line = f"/// @param {','.join(names)}{param.group(3)}" if names else line
        else:
            keep = keep or line.startswith("/// @") or line == "///"
        item = bool(re.match(r"/// (@|- |\* |\d+\. )", line)) or (item and line != "///")
        if keep:
            kept.append(escaped(line))
    end_block()
    return [" " * margin + line for line in kept]


def copy(lines):
    out, comment, pending, owner, indent, in_type = [], [], False, "", -1, False
    for at, line in enumerate(lines):
        stripped = line.lstrip()
        margin = len(line) - len(stripped)
        if stripped.startswith("///"):
            if not pending:
                comment = []
            pending = True
            comment.append(stripped)
            continue
        if re.match(r"(template .*)?(class|struct) \w[^;]*\{$", line):
            in_type = True
        elif line.startswith("};"):
            in_type = False
        if in_type and margin == 2:
            line = re.sub(r";\s+// ?(.*)$", lambda m: "; ///< " + escaped(m.group(1)), line)
        text = declaration(lines, at) if stripped else ""
        if pending:
            pending, indent, owner = False, margin, name_of(text)
            out.extend(fitting(comment, text if owner else " ".join(comment), margin))
        elif comment and stripped and margin == indent and margin in (0, 2):
            previous = lines[at - 1].strip()
            goes_on = previous.startswith(("template", "requires", "//", "#")) or not re.match(r"[A-Za-z_]", stripped)
            below = previous.endswith((";", "}")) and not previous.startswith(("public", "private"))
            name = name_of(text)
            if not goes_on and name and (name == owner or below):
                out.extend(fitting(comment, text, margin))
            elif not goes_on and not below:
                comment, owner = [], ""
        elif stripped and margin < indent and not stripped.startswith("}"):
            comment, owner = [], ""
        out.append(line)
    return out


def products(text):
    """Writes out the declarations of the one macro that declares functions, since Doxygen does not know __VA_OPT__."""
    def declarations(match):
        comment, regressor, state, more = match.groups()
        forms = []
        for extra in (more, ", ".join(x for x in (state, more) if x)):
            arguments = "const Model<S>& model, Data<S>& data" + (", " + extra if extra else "")
            for result, name, last in (("const VectorX<S>&", "product", "VectorIn<S> pi"),
                                       ("void", "transpose_product", "VectorIn<S> x, VectorOut<S> out")):
                forms.append(f"{comment}template <class S>\n{result} {regressor}_regressor_{name}({arguments}, {last}, "
                             "const BodySelection& bodies = {});\n\n")
        return "".join(forms)
    text = re.sub(r"#define CORIO_LIST.*\n", "", text)
    text = re.sub(r"#define CORIO_REGRESSOR_PRODUCTS(.*\\\n)*.*\n", "", text)
    return re.sub(r"((?:///.*\n)+)CORIO_REGRESSOR_PRODUCTS\((\w+), \(([^)]*)\), \([^)]*\), \(([^)]*)\),\s*\([^)]*\)\)",
                  declarations, text)


def grouped(lines, path):
    def group(about):
        return [f"/// @defgroup {group_of(path)} {os.path.basename(path)}", f"/// @ingroup {group_of(os.path.dirname(path))}",
                f"/// `#include <corio/{path}>`", "///", *about, ""]
    if not any(re.match(r"namespace corio\b.*\{$", line) for line in lines):  # a header of other headers
        return [*group([line for line in lines if line.startswith("///")]), *[line for line in lines if line.startswith("#include")]]
    out, first = [], True
    for line in lines:
        if re.match(r"namespace corio\b.*\{$", line):
            about = []
            while out and out[-1].startswith("///"):
                about.insert(0, out.pop())
            if first:
                out += group(about)
            out += [line, f"/// @addtogroup {group_of(path)}", "/// @{", ""]
            first = False
        elif re.match(r"\}  // namespace corio\b", line):
            out += ["", "/// @}", line]
        else:
            out.append(line)
    return out


folders = set()
for folder, inside, files in os.walk(source):
    if os.path.relpath(folder, source).startswith("python"):
        continue  # sources of a module, which the guide documents
    for name in files:
        if name.endswith(".hpp"):
            path = os.path.join(folder, name)
            there = os.path.join(output, os.path.relpath(path, source))
            os.makedirs(os.path.dirname(there), exist_ok=True)
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"^#define CORIO_COMPILED_(?:.*\\\n)*.*\n(?:CORIO_DECLARE_COMPILED.*\n)?", "", file.read(), flags=re.M)
            lines = products(without_abi(text)).split("\n")
            path = os.path.relpath(path, source)
            folders.add(os.path.dirname(path))
            with open(there, "w", encoding="utf-8") as file:
                file.write("\n".join(grouped(copy(lines), path)))

for folder in list(folders):
    while os.path.dirname(folder):
        folder = os.path.dirname(folder)
        folders.add(folder)
with open(os.path.join(output, "folders.dox"), "w", encoding="utf-8") as file:
    for folder in sorted(folders):
        parent = os.path.dirname(folder)
        inside = f"\n * @ingroup {group_of(parent)}" if parent else ""
        file.write(f"/** @defgroup {group_of(folder)} {folder or 'corio'}{inside}\n */\n")

"""Checks that guides name the headers that their code needs: check_includes.py PROJECT

corio/corio.hpp is taken for granted. What lies beyond it stands on the page as #include <corio/...>, before the code that
needs it or in it."""
import glob
import os
import re
import sys

from names import without_abi

project = sys.argv[1]
include = os.path.join(project, "include")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


headers = {os.path.relpath(path, include): text_of(path)
           for path in glob.glob(os.path.join(include, "corio", "**", "*.hpp"), recursive=True)}
direct = {header: re.findall(r'^#include "(corio/[^"]+)"', text, re.M) for header, text in headers.items()}


def included(header, found):
    if header in headers and header not in found:
        found.add(header)
        for other in direct[header]:
            included(other, found)
    return found


# Names of types, and of functions at the beginning of a line. A forward declaration does not count.
TYPE = re.compile(r"^(?:class|struct|enum class|concept|using)\s+(\w+)(?!\s*;|\w)", re.M)
FUNCTION = re.compile(r"^(?=\w)(?!using|return|namespace)(?:[\w:<>,&*\[\] ]+[ >&*])?(\w+)\(", re.M)
BORROWED = re.compile(r"^using [\w:]+::(\w+);", re.M)
VARIABLE = re.compile(r"^(?:inline |constexpr )+[\w:<>]+ (\w+)\b", re.M)
where = {}
for header, text in headers.items():
    code = re.sub(r"//[^\n]*", "", without_abi(text))
    # The longest name comes first, because headers of readers have functions of one name in their own namespaces.
    spaces = re.findall(r"^namespace (?:corio(?:::)?)?([\w:]*) \{$", code, re.M)
    for pattern in (TYPE, FUNCTION, VARIABLE, BORROWED):
        for name in pattern.findall(code):
            for space in [""] + spaces:
                where.setdefault((space + "::" + name).removeprefix("::"), set()).add(header)

# More headers declare a mechanism than define functions that take one.
of_mechanisms = {header for header, text in headers.items() if "struct ForMechanism<" in text}

missing, checked = [], 0
pages = glob.glob(os.path.join(include, "corio", "**", "*.md"), recursive=True) + [os.path.join(project, "README.md")]
for page in sorted(pages):
    text = text_of(page)
    for block in re.finditer(r"```cpp\n(.*?)```", text, re.S):
        there = included("corio/corio.hpp", set())
        for header in re.findall(r"#include <(corio/[\w/]+\.hpp)>", text[:block.end()]):
            if header not in headers:
                missing.append((page, header, "no such header"))
            included(header, there)
        for name in re.findall(r"\bcorio::((?:[a-z]\w*::)*\w+)", re.sub(r"//[^\n]*", "", block.group(1))):
            checked += 1
            needed = where.get(name)
            if name == "Mechanism":
                needed = of_mechanisms
            if not needed:
                missing.append((page, name, "not found in any header"))
            elif not needed & there:
                missing.append((page, name, "needs one of: " + ", ".join(sorted(needed))))
for page, name, what in dict.fromkeys(missing):
    print(f"{os.path.relpath(page, project)}: {name}: {what}")
if checked < 100:
    print(f"only {checked} names were found in the code of guides")
sys.exit(bool(missing) or checked < 100)

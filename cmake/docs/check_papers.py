"""Checks that the map of the papers is complete and names nothing that does not exist: check_papers.py PROJECT

include/corio/PAPERS.md has a section for each paper. A paragraph "Numbered: .." says which numbers the paper has, and the
first of the four columns of a table has each of them once. A link [`name`](file) needs a file that has the name by
itself, or, if it is a test, the name as a whole title in quotes. Every name has its file."""
import os
import re
import sys

project = sys.argv[1]
folder = os.path.join(project, "include", "corio")
# How many equations each paper numbers: a page that has lost some of them with their rows is noticed.
EQUATIONS = [40, 38, 132, 85, 33]
LINK = re.compile(r"\[(`[^`]*`|[^\]]*)\]\(([^)]*)\)")
texts = {}


def text_of(path):
    if path not in texts:
        with open(path, encoding="utf-8") as file:
            texts[path] = file.read()
    return texts[path]


def numbers(cell):
    """"(8)-(10), Alg. 1-2, Table I" as 8, 9, 10, Alg. 1, Alg. 2, Table I. A section, "sec. ..", has no number."""
    found = []
    for item in re.sub(r"[()]", "", cell).split(", "):
        span = re.fullmatch(r"(.*?)(\d+)-(\d+)", item)
        if item.startswith("sec."):
            continue
        found += [span[1] + str(i) for i in range(int(span[2]), int(span[3]) + 1)] if span else [item]
    return found


def defect_of_link(words, target):
    """Returns what is wrong with a link, or None."""
    if target.startswith("https://"):
        return None
    path = os.path.join(folder, target.partition("#")[0])
    if not os.path.exists(path):
        return f"there is no file {target}"
    if not words.startswith("`"):
        return None
    name = words.strip("`")
    quoted = f'"{name}"' in text_of(path)
    has = quoted if "_test.cpp" in target else re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text_of(path))
    return None if has else f"{target} has no '{name}'"


def read(page):
    """Returns the defects of a page, the numbers of each of its papers, and the number of its links."""
    defects, papers, links = [], [], 0
    for at, section in enumerate(re.split(r"^## ", page, flags=re.M)):
        title, rows = section.partition("\n")[0], []
        for line in section.split("\n"):
            for words, target in LINK.findall(line):
                links += 1
                defects.append(defect_of_link(words, target))
            line = LINK.sub("", line)
            if "`" in line:
                defects.append(f"{title}: a name without its file in: {line}")
            if line.startswith("| ") and not line.startswith("| number |"):
                cells = line.split(" | ")
                rows += numbers(cells[0].removeprefix("| "))
                if len(cells) != 4:
                    defects.append(f"{title}: a row without four columns: {line}")
        numbered = re.search(r"^Numbered: (.*?)\.$(?=\n\n)", section, re.M | re.S)
        expected = numbers(numbered[1].replace("\n", " ")) if numbered else []
        for number in dict.fromkeys(expected + rows):
            if expected.count(number) != rows.count(number):
                defects.append(f"{title}: {number} is missing, twice there, or not of the paper")
        if at > 0:
            papers.append(expected)
    return [d for d in defects if d], papers, links


SOUND = """# A map

## A paper

Numbered: (1)-(3), Alg. 1,
Table I.

| number | says | is | test |
|---|---|---|---|
| (1)-(2) | mass | [`crba`](algorithms/dynamics/crba.hpp), [map](SYMBOLS.md#rooms) | """ \
    """[`crba fills both triangles with the same numbers`](../../tests/algorithms/crba_test.cpp) |
| (3), Alg. 1 | a step | - | - |
| Table I | times | - | - |
| sec. 4 | more | - | - |
"""
# Each entry replaces a text by another, and says how many defects result.
CHANGES = [("", "", 0),
           ("algorithms/dynamics/crba.hpp", "algorithms/gone.hpp", 1),
           ("SYMBOLS.md#rooms", "GONE.md", 1),
           ("`crba`", "`crb`", 1),  # part of a name
           ("`crba fills both triangles with the same numbers`", "`crba is positive`", 1),
           ("| mass |", "| `mass` |", 1),
           ("| mass |", "| mass, momentum | energy |", 1),
           ("(1)-(2)", "(1)", 1),
           ("(1)-(2)", "(1)-(3)", 1),
           ("| (3), Alg. 1", "| (3)", 1),
           ("| Table I", "| Table II", 2),
           ("Numbered: (1)", "Numbers: (1)", 5)]

defects, papers, links = read(text_of(os.path.join(folder, "PAPERS.md")))
if links < 300:
    defects.append(f"only {links} links were found")
if len(papers) != len(EQUATIONS):
    defects.append(f"{len(papers)} papers instead of {len(EQUATIONS)}")
for i, (paper, last) in enumerate(zip(papers, EQUATIONS), 1):
    if {int(re.match(r"\d+", n)[0]) for n in paper if n[0].isdigit()} != set(range(1, last + 1)):  # 9a and 9b, too
        defects.append(f"the equations of paper {i} are not 1 to {last}")
for what, instead, count in CHANGES:
    found = read(SOUND.replace(what, instead, 1) if what else SOUND)[0]
    if len(found) != count:
        defects.append(f"a page with '{instead}' for '{what}' should have {count} defects, has: {found}")
for defect in dict.fromkeys(defects):
    print(defect)
sys.exit(bool(defects))

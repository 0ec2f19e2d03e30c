"""Copies the headers with switches in them: each of some hundred statements or conditions stands there twice, as it is
and changed, and corio_mutant(number) chooses. What is changed are formulas, conditions and constants in function bodies.

It reads tokens, not C++: what it takes for a statement and is none does not compile, and is dropped (run.py).
"""
import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

PAIRS = {"(": ")", "[": "]", "{": "}"}
SWAPPED = [(" + ", " - "), (" - ", " + "), (" += ", " -= "), (" -= ", " += "), (" / ", " * "), (" * ", " + "),
           (" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
           (" && ", " || "), (" || ", " && "), ("true", "false"), ("false", "true"), ("cross(", "-cross("),
           (".transpose()", ""), ("max(", "min("), ("min(", "max(")]
NUMBER = re.compile(r"(?<![\w.<])(\d+\.\d+|\d+)(?![\w.>])")
# Matches two names side by side, which are a declaration.
DECLARATION = re.compile(
    r"^((?:const\s+)?(?:auto|[A-Za-z_][\w:]*(?:<[^;=]*?>)?(?:::\w+)*))((?:\s+const)?\s*[&*]?\s+|\s*[&*]\s*)"
    r"([A-Za-z_]\w*)\s*=\s")


@dataclass
class Mutant:
    file: str
    begin: int  # offsets of what is replaced
    end: int
    change: str  # the change in words
    text: str  # with @ for the number
    line: int = 0
    last_line: int = 0
    number: int = 0


@dataclass
class Source:
    """A header, and its code with comments, literals of text and preprocessor lines blanked."""
    name: str
    text: str
    code: str = ""
    places: list = field(default_factory=list)  # lists of alternatives, one list a statement

    def __post_init__(self):
        blank = lambda m: re.sub(r"[^\n]", " ", m.group(0))
        code = re.sub(r"//[^\n]*|/\*.*?\*/", blank, self._blank_text(), flags=re.S)
        self.code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, code, flags=re.M)
        self.declarations(0, len(self.code))

    def _blank_text(self):
        text = re.sub(r'"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'',
                      lambda m: m.group(0)[0] + "_" * (len(m.group(0)) - 2) + m.group(0)[-1], self.text)
        assert len(text) == len(self.text)
        return text

    def closing(self, i):
        """Offset of the bracket that closes the one at i."""
        stack = []
        for k in range(i, len(self.code)):
            c = self.code[k]
            if c in PAIRS:
                stack.append(PAIRS[c])
            elif stack and c == stack[-1]:
                stack.pop()
                if not stack:
                    return k
        return len(self.code)

    def declarations(self, i, end):
        """At the level of namespaces and classes: looks for bodies of functions."""
        head = i
        while i < end:
            c = self.code[i]
            if c in "([":
                i = self.closing(i)
            elif c in ";}":
                head = i + 1
            elif c == "{":
                close = self.closing(i)
                before = self.code[head:i].strip()
                while before.startswith("template"):
                    depth, k = 0, before.index("<")
                    while True:
                        depth += {"<": 1, ">": -1}.get(before[k], 0)
                        k += 1
                        if depth == 0:
                            break
                    before = before[k:].strip()
                if re.match(r"(inline\s+)?(namespace|class|struct|union)\b", before):
                    self.declarations(i + 1, close)
                elif re.search(r"\)\s*:\s.*\w$", before, re.S) and not re.search(r"\b(const|noexcept|override)$", before):
                    i = close + 1  # of a member that a constructor initialises
                    continue
                elif "(" in before and not re.match(r"(enum|concept|consteval|static constexpr \w+ \w+ =)\b", before):
                    self.body(i + 1, close)
                i = close
                if self.code[head:i].find("(") >= 0 or self.code[i + 1:i + 2] != ";":
                    head = i + 1
            i += 1

    def body(self, i, end):
        """The statements of a function."""
        while True:
            while i < end and self.code[i] in " \n;}":
                i += 1
            if i >= end:
                return
            if self.code[i] == "{":
                close = self.closing(i)
                self.body(i + 1, close)
                i = close + 1
                continue
            word = re.match(r"(else|do|try)\b|(?:case\b[^:]*(?:::[^:]+)*|default\s*):(?!:)", self.code[i:end])
            if word:
                i += word.end()
                continue
            control = re.match(r"(if constexpr|if|while|for|switch|catch)\s*\(", self.code[i:end])
            if control:
                opened = i + control.end() - 1
                close = self.closing(opened)
                self.condition(control.group(1), opened + 1, close)
                i = close + 1
                continue
            stop = i
            nested = []
            while stop < end and self.code[stop] != ";":
                if self.code[stop] in PAIRS:
                    close = self.closing(stop)
                    nested += self.lambdas(stop, close)
                    stop = close
                stop += 1
            if re.match(r"(struct|class)\b", self.code[i:stop]):
                for begin, close in nested:
                    self.declarations(begin + 1, close)
            elif nested:
                for begin, close in nested:
                    self.body(begin + 1, close)
            else:
                self.statement(i, stop)
            i = stop + 1

    def lambdas(self, begin, end):
        found = []
        while begin <= end:
            if self.code[begin] == "{":
                close = self.closing(begin)
                if ";" in self.code[begin:close]:
                    found.append((begin, close))
                    begin = close
            begin += 1
        return found

    def condition(self, keyword, begin, end):
        if keyword == "for":
            parts, depth = [begin], 0
            for k in range(begin, end):
                depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(self.code[k], 0)
                if self.code[k] == ";" and depth == 0:
                    parts.append(k)
            if len(parts) != 3:
                return
            begin, end = parts[1] + 1, parts[2]
        elif keyword not in ("if", "while"):
            return
        code = self.code[begin:end]
        if not code.strip() or re.search(r"[^=!<>]=[^=]|;", code):
            return
        changes = self.changes(begin, end)
        if keyword == "if":
            changes.append(("negated", f"!({self.flat(begin, end)})"))
        whole = self.text[begin:end]
        self.offer(begin, end, changes, lambda new: f" corio_mutant(@) ? bool({new}) : bool({whole})")

    def statement(self, begin, end):
        code, whole = self.code[begin:end], self.text[begin:end]
        if re.match(r"(throw|using|static|constexpr|typedef|break|continue|goto|delete|template)\b|static_assert|"
                    r"([\w.]+(\.|->))?(fail|require|note|eigen_assert)\w*\(", code):
            return
        returned = re.match(r"return\s+(?=[^\s{])", code)
        if returned:
            self.offer(begin, end + 1, self.changes(begin + returned.end(), end),
                       lambda new: f"{{ if (corio_mutant(@)) return {new}; {whole}; }}")
            return
        declared = DECLARATION.match(code)
        if declared:
            type_name = declared.group(1).removeprefix("const ").strip()
            if "&" in declared.group(2) or "*" in declared.group(2):
                return
            value = begin + declared.end()
            to = value  # of the first name that is declared
            while to < end and self.code[to] != ",":
                to = self.closing(to) + 1 if self.code[to] in PAIRS else to + 1
            wrap = "" if type_name == "auto" else type_name
            kept = self.text[value:to]
            self.offer(value, to, self.changes(value, to),
                       lambda new: f"corio_mutant(@) ? {wrap}({new}) : {wrap}({kept})")
            return
        if re.match(r"(const\b|auto\b|[A-Za-z_][\w:]*(<.*>)?(::\w+)*\s*[&*]?(\s*const\b)?\s+[A-Za-z_]\w*\s*([({\[,;=]|$)|\W*$)", code,
                    re.S):
            return
        # Only the text after the first = is changed; the left side is changed if the right side indexes it.
        changes = self.changes(begin, end)
        assigned = re.search(r"\s=\s", code)
        if assigned and "," not in code and '"' not in code:
            at = begin + assigned.end()
            changes.append(("sign", self.flat(begin, at) + f" -({self.flat(at, end)})"))
        replaced = lambda new: (f"{{ if (corio_mutant(@)) {{ {new}; }} else {{ {whole}; }} }}" if new else
                                f"{{ if (!corio_mutant(@)) {{ {whole}; }} }}")
        # Changes mostly the formula of a statement, if there is one; a quarter of the statements are dropped instead.
        if re.match(r"[\w.:>\-\[\]<]+(\(.*\)|\s[-+*/]?=\s.*)$", code, re.S):
            few = int(order(self.name, code)[:4], 16) % 4 == 0
            if few:
                changes = [("dropped", "")]
        self.offer(begin, end + 1, changes, replaced)

    def flat(self, begin, end):
        """On one line, so that lines keep their numbers."""
        return re.sub(r"//[^\n]*", "", self.text[begin:end]).replace("\n", " ")

    def shown(self, begin, end):
        return re.sub(r"\s+", " ", self.flat(begin, end)).strip()

    def changes(self, begin, end):
        found = []
        code = self.code[begin:end]

        def change(at, old, new):
            found.append((f"'{old.strip()}' -> '{new.strip()}'",
                          self.flat(begin, begin + at) + new + self.flat(begin + at + len(old), end)))

        for old, new in SWAPPED:
            for match in re.finditer(re.escape(old) if old[0] in " ." else r"\b" + re.escape(old), code):
                if old == " * " and re.search(r"[,(=]\s*$", code[:match.start()]):
                    continue
                change(match.start(), old, new)
        for match in NUMBER.finditer(code):
            if '"' in code[max(0, match.start() - 1):match.end() + 1]:
                continue
            old = match.group(0)
            change(match.start(), old, str(2 * float(old) + (old == "0.0")) if "." in old else str(int(old) + 1))
        for match in re.finditer(r"!(?=[\w(])", code):
            change(match.start(), "!", "")
        return found

    def offer(self, begin, end, changes, replaced):
        if changes:
            shown = self.shown(begin, end)
            self.places.append([Mutant(self.name, begin, end, f"{what} in: {shown}", replaced(new))
                                for what, new in changes])


def order(*key):
    return hashlib.sha256("|".join(map(str, key)).encode()).hexdigest()


def select(sources, count):
    """Evenly spread statements of each header, of each one change, which its text decides."""
    total = sum(len(s.places) for s in sources)
    chosen = []
    for source in sources:
        share = max(1, round(count * len(source.places) / total))
        # Takes places evenly along the file, from a place that its name decides.
        step = len(source.places) / share if source.places else 1
        first = int(order(source.name)[:8], 16) / 16**8 * step
        for k in range(share):
            index = int(first + k * step)
            if index < len(source.places):
                alternatives = source.places[index]
                mutant = min(alternatives, key=lambda m: order(m.file, m.change))
                mutant.line = source.text.count("\n", 0, mutant.begin) + 1
                mutant.last_line = source.text.count("\n", 0, mutant.end) + 1
                chosen.append(mutant)
    for number, mutant in enumerate(chosen, 1):
        mutant.number = number
    return chosen


# Matches folders, and headers for libraries, whose tests are left out (run.py).
LEFT_OUT = re.compile("corio/(zoo|compiled)/|/(mesh|mjcf_mesh|yaml_loops|mpi|tbb).hpp")


def read(include):
    sources = []
    for path in sorted(include.glob("corio/**/*.hpp")):
        name = str(path.relative_to(include))
        if not LEFT_OUT.search(name):
            sources.append(Source(name, path.read_text()))
    return sources


def write(sources, mutants, include):
    """Over the copy of the headers. Keeps the numbers of lines."""
    for source in sources:
        mine = sorted((m for m in mutants if m.file == source.name), key=lambda m: -m.begin)
        text = source.text
        for m in mine:
            text = text[:m.begin] + m.text.replace("@", str(m.number)) + text[m.end:]
        path = include / source.name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)

"""Names on the site and sentences of comments, which the other scripts agree about."""
import re


def without_abi(code):
    """A header without the inline namespace: namespace corio::detail { .. }."""
    code = code.replace("[[noreturn, gnu::cold]]", "[[noreturn]]")
    code = re.sub(r"^namespace corio \{ inline namespace CORIO_ABI \{((?: namespace \w+ \{)*)", lambda m: "::".join(
        ["namespace corio", *re.findall(r"namespace (\w+)", m.group(1))]) + " {", code, flags=re.M)
    return re.sub(r"^\}\}+(?=  // namespace)", "}", code, flags=re.M)


# Headers that are not for programs, from include/corio: folders `detail`, and those that say so in SYMBOLS.md.
PRIVATE = re.compile(r"(.*/)?detail/|(kernels|simd|solvers|io/(urdf|mjcf|mesh)|compiled)/")


def page_of_guide(path):
    """Of a Markdown file of include/corio, from the root of the project."""
    return "page_" + re.sub(r"\W", "_", path[len("include/corio/"):-len(".md")].lower())


def group_of(path):
    """Of a header or folder, from include/corio."""
    return "group_" + re.sub(r"\W", "_", path)


def sentences(text):
    """Ends at a dot behind a word."""
    return re.split(r"(?<=[\w)`\]][.;])\s+(?=[A-Z`@])", text)


def counterparts(text):
    """(library, what it has, our name) of the rows of coming_from.md. Two lists of names of one length are pairs."""
    library = ""
    for line in text.split("\n"):
        library = line[3:].strip() if line.startswith("## ") else library
        row = re.match(r"\| (.*?) \| (.*) \|$", line)
        if row:
            theirs, ours = (re.findall(r"`([\w:&().]+?)(?:\([^`]*)?`", x) for x in row.groups())
            pairs = zip(theirs, ours) if len(theirs) == len(ours) else ((row.group(1), x) for x in dict.fromkeys(ours))
            yield from ((library, x if "`" in x else f"`{x}`", "Model" if y.startswith("model.") else y) for x, y in pairs)

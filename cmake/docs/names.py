"""Functions that the other scripts share: names of pages, sentences of comments, names in other libraries."""
import re


def without_abi(code):
    """Returns a header without the inline namespace: namespace corio::detail { .. }."""
    code = code.replace("[[noreturn, gnu::cold]]", "[[noreturn]]")
    code = re.sub(r"^namespace corio \{ inline namespace CORIO_ABI \{((?: namespace \w+ \{)*)", lambda m: "::".join(
        ["namespace corio", *re.findall(r"namespace (\w+)", m.group(1))]) + " {", code, flags=re.M)
    return re.sub(r"^\}\}+(?=  // namespace)", "}", code, flags=re.M)


# Headers that are not for programs, relative to include/corio: in folders `detail`, and in rooms that SYMBOLS.md names.
PRIVATE = re.compile(r"(.*/)?detail/|(kernels|simd|solvers|io/(urdf|mjcf|mesh)|compiled|python)/")


def page_of_guide(path):
    """Returns the page of a Markdown file of include/corio, given relative to the root of the project."""
    return "page_" + re.sub(r"\W", "_", path[len("include/corio/"):-len(".md")].lower())


def group_of(path):
    """Returns the group of a header or folder, given relative to include/corio."""
    return "group_" + re.sub(r"\W", "_", path)


def sentences(text):
    """Splits a text after dots and semicolons that follow a word."""
    return re.split(r"(?<=[\w)`\]][.;])\s+(?=[A-Z`@])", text)


def counterparts(text):
    """Yields (library, its name, our name) for the rows of coming_from.md. Two lists of names of one length are pairs."""
    library = ""
    for line in text.split("\n"):
        library = line[3:].strip() if line.startswith("## ") else library
        row = re.match(r"\| (.*?) \| (.*) \|$", line)
        if row:
            theirs, ours = (re.findall(r"`([\w:&().]+?)(?:\([^`]*)?`", x) for x in row.groups())
            pairs = zip(theirs, ours) if len(theirs) == len(ours) else ((row.group(1), x) for x in dict.fromkeys(ours))
            yield from ((library, x if "`" in x else f"`{x}`", "Model" if y.startswith("model.") else y) for x, y in pairs)

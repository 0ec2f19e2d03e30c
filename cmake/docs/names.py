"""Names on the site and sentences of comments, which the other scripts agree about."""
import re


def page_of_guide(path):
    """Of a Markdown file of include/corio, from the root of the project."""
    return "page_" + re.sub(r"\W", "_", path[len("include/corio/"):-len(".md")].lower())


def group_of(path):
    """Of a header or folder, from include/corio."""
    return "group_" + re.sub(r"\W", "_", path)


def sentences(text):
    """Ends at a dot behind a word."""
    return re.split(r"(?<=[\w)`\]][.;])\s+(?=[A-Z`@])", text)

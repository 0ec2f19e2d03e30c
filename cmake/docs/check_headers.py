"""Checks that the guide lists all public headers and no other, and links to no private header:
check_headers.py PROJECT"""
import glob
import os
import re
import sys

from names import PRIVATE

include = os.path.join(sys.argv[1], "include", "corio")
headers = {os.path.relpath(path, include) for path in glob.glob(os.path.join(include, "**", "*.hpp"), recursive=True)}
public = {path for path in headers if not PRIVATE.match(path)}


def linked(text):
    """Returns the headers to which a page of the guide has links, relative to include/corio."""
    return {os.path.normpath(link[len("../"):]) for link in re.findall(r"\]\((\.\./[^)#]+\.hpp)\)", text)}


errors = []
for page in sorted(glob.glob(os.path.join(include, "guide", "*.md"))):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    name = os.path.basename(page)
    errors += [f"{name}: {path} is private" for path in linked(text) if PRIVATE.match(path)]
    if name == "functions.md":
        listed = linked(text[text.index("\n## Headers"):])
        errors += [f"{name}: {path} is not in the table of headers" for path in public - listed]
        errors += [f"{name}: {path} is no header" for path in listed - headers]
print("\n".join(sorted(errors)))
sys.exit(bool(errors) or len(public) < 100)

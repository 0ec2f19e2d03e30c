"""Whether the guide lists the public headers, all of them and no other: check_headers.py PROJECT

Private are the folders `detail` and those that say so in SYMBOLS.md: kernels, simd, solvers, the insides of readers,
the list of what is compiled once, and former paths."""
import glob
import os
import re
import sys

include = os.path.join(sys.argv[1], "include", "corio")
PRIVATE = re.compile(r"(.*/)?detail/|(kernels|simd|solvers|io/(urdf|mjcf|mesh)|compiled|moved)/")

paths = [os.path.relpath(path, include) for path in glob.glob(os.path.join(include, "**", "*.hpp"), recursive=True)]
public = {path for path in paths if not PRIVATE.match(path)}
listed, errors = set(), []
for page in sorted(glob.glob(os.path.join(include, "guide", "*.md"))):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    links = {os.path.relpath(os.path.join(os.path.dirname(page), link), include)
             for link in re.findall(r"\]\((\.\./[^)#]+\.hpp)\)", text)}
    name = os.path.basename(page)
    errors += [f"{name}: {path} is private" for path in links if PRIVATE.match(path)]
    if name == "functions.md":
        listed = {os.path.relpath(os.path.join(os.path.dirname(page), link), include)
                  for link in re.findall(r"\]\((\.\./[^)#]+\.hpp)\)", text[text.index("\n## Headers"):])}
errors += [f"functions.md: {path} is not in the table of headers" for path in public - listed]
errors += [f"functions.md: {path} is no header" for path in listed - set(paths)]
print("\n".join(sorted(errors)))
sys.exit(bool(errors) or len(public) < 100)

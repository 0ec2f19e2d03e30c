"""What the search of the site knows: search.py PAGES HTML SOURCE

Writes HTML/search-data.js with an entry for each heading of a page, each function and each class, and with the names that
other libraries have for them: those of coming_from.md, and those of synonyms.txt."""
import glob
import html
import json
import os
import re
import sys

pages, site, source = sys.argv[1:4]
here = os.path.dirname(os.path.abspath(__file__))


def plain(text):
    text = re.sub(r"@htmlonly.*?@endhtmlonly", " ", text, flags=re.S)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\s+", " ", re.sub(r"[`*|#]+|---+|<[^>]*>|\{#\w+\}|@\w+", " ", html.unescape(text))).strip()


def entry(title, url, kind, keys="", text="", about=""):
    return {"title": title, "url": url, "kind": kind, "keys": keys, "text": text, "about": about or text[:160]}


functions = json.load(open(os.path.join(pages, "functions.json"), encoding="utf-8"))
entries = {x["name"]: entry(x["name"], x["page"] + ".html", "function", "", plain(x["text"]), plain(x["about"]))
           for x in functions}
for path in sorted(glob.glob(os.path.join(pages, "*.md"))):
    name = os.path.basename(path)[:-3]
    if name.startswith("page_f"):
        continue
    text = open(path, encoding="utf-8").read()
    code = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    text = "".join(re.sub(r"^#", " #", part, flags=re.M) if i % 2 else part for i, part in enumerate(code))
    page = ""
    for section in re.split(r"(?m)^(?=#+ )", text):
        found = re.match(r"#+ (.*?)(?: \{#(\w+)\})?\n", section + "\n")
        if not found:
            continue
        words, anchor = plain(found.group(1)), found.group(2)
        page = page or words
        top = words == page
        entries[name if top else anchor or name] = entry(
            words, name + ".html" + ("" if top or not anchor else "#" + anchor), "page" if top else page,
            "" if top else page, plain(section[found.end():]))
for path in sorted(glob.glob(os.path.join(site, "classcorio*.html")) + glob.glob(os.path.join(site, "structcorio*.html"))):
    if path.endswith("-members.html"):
        continue
    text = open(path, encoding="utf-8").read()
    title = re.search(r"<title>corio: (.*?)(?: (?:Class|Struct).*)?</title>", text)
    about = re.search(r'<div class="contents">\s*<p>(.*?)(?:<a href="#details">|</p>)', text, flags=re.S)
    name = re.sub(r"&lt;.*", "", title.group(1)).replace("corio::", "").strip()
    if name.split("::")[-1] and name not in entries:
        all_of_it = path.removesuffix(".html") + "-members.html"
        members = (re.findall(r'<a class="el" href="[^"]*">([\w:]+)', open(all_of_it, encoding="utf-8").read())
                   if os.path.exists(all_of_it) else [])
        entries[name] = {**entry(name, os.path.basename(path), "class", "", plain(about.group(1)) if about else ""),
                         "members": list(dict.fromkeys(members))}

# Rows of tables of names: theirs in the first column, ours in the second.
theirs = open(os.path.join(source, "include/corio/guide/coming_from.md"), encoding="utf-8").read()
for row in re.findall(r"^\| (.*?) \| (.*?) \|", theirs, flags=re.M):
    for name in re.findall(r"`([\w:]+)", row[1]):
        if name in entries:
            entries[name]["keys"] += " " + plain(row[0])
for line in open(os.path.join(here, "synonyms.txt"), encoding="utf-8"):
    line = line.split("#")[0].strip()
    if not line:
        continue
    words, _, names = line.partition(" = ")
    for name in names.split(", "):
        if name not in entries:
            sys.exit(f"synonyms.txt: no function, class or page {name}")
        entries[name]["keys"] += " " + words
with open(os.path.join(site, "search-data.js"), "w", encoding="utf-8") as file:
    file.write("corioSearchData = " + json.dumps(list(entries.values()), ensure_ascii=False) + ";\n")

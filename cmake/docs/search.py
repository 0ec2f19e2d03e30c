"""Collects the words of the site for its search: search.py PAGES HTML SOURCE

Writes HTML/search-data.js with an entry for each heading of a page, each function and each class, and with the names that
other libraries have for them: those of coming_from.md, and those of synonyms.txt."""
import glob
import html
import json
import os
import re
import sys

from names import counterparts

pages, site, source = sys.argv[1:4]
here = os.path.dirname(os.path.abspath(__file__))


def plain(text):
    text = re.sub(r"@htmlonly.*?@endhtmlonly", " ", text, flags=re.S)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    # Only tags of HTML are dropped: elements of robot files, such as <mimic>, are words.
    text = re.sub(r"</?(a|b|br|code|div|em|i|img|li|p|pre|span|strong|sub|sup|table|td|th|tr|ul)\b[^>]*>", " ", text)
    return re.sub(r"\s+", " ", re.sub(r"[`*|#]+|---+|[<>](?=\w|/)|(?<=\w)>|\{#\w+\}|@\w+", " ", html.unescape(text))).strip()


def entry(title, url, kind, keys="", text="", about=""):
    return {"title": title, "url": url, "kind": kind, "keys": [keys] if keys else [], "text": text, "about": about or text[:160]}


def summary(section):
    """Returns the first words of a section outside of code and tables."""
    prose = re.sub(r"(?m)^(```.*?^```|    .*?$|\|.*?$)", " ", section, flags=re.S)
    return plain(prose)[:160]


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
    page, headings = "", ", ".join(plain(x) for x in re.findall(r"(?m)^##+ (.*?)(?: \{#\w+\})?$", text))
    for section in re.split(r"(?m)^(?=#+ )", text):
        found = re.match(r"#+ (.*?)(?: \{#(\w+)\})?\n", section + "\n")
        if not found:
            continue
        words, anchor = plain(found.group(1)), found.group(2)
        page = page or words
        top = words == page
        entries[name if top else anchor or name] = entry(
            words, name + ".html" + ("" if top or not anchor else "#" + anchor), "page" if top else page,
            "" if top else page, plain(section[found.end():]), summary(section[found.end():]) or (headings[:160] if top and headings else words))
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
        members = list(dict.fromkeys(members))
        words = plain(about.group(1)) if about else ""
        details = re.search(r'<div class="textblock">(.*?)<h2 class="groupheader">', text + '<h2 class="groupheader">', flags=re.S)
        all_words = " ".join([plain(re.sub(r"<[^>]*>", " ", details.group(1))) if details else words, *members])
        entries[name] = {**entry(name, os.path.basename(path), "class", "", all_words, words or name),
                         "members": members}

with open(os.path.join(source, "include/corio/guide/coming_from.md"), encoding="utf-8") as file:
    for _, theirs, ours in counterparts(file.read()):
        if ours in entries:
            entries[ours]["keys"].append(plain(theirs))


def words_of(text):
    """Returns the words of three letters or more, with the parts of names."""
    return {x.lower() for x in re.findall(r"[A-Za-z0-9]{3,}", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text))} - COMMON


def has_one(words, text):
    """Whether a text has one of these words, perhaps inflected."""
    there = words_of(text)
    return any(x.startswith(word[:max(3, len(word) - 3)]) for word in words_of(words) for x in there)


COMMON = {"the", "and", "for", "body", "two", "set", "get", "link", "robot"}
defects = []
for line in open(os.path.join(here, "synonyms.txt"), encoding="utf-8"):
    line = line.split("#")[0].strip()
    if not line:
        continue
    words, _, names = line.partition(" = ")
    for name in names.split(", "):
        if name not in entries:
            defects.append(f"no function, class or page {name}")
            continue
        there = entries[name]
        if not has_one(words, there["title"] + " " + there["text"]):
            defects.append(f"{name} has none of the words '{words}'")
        there["keys"].append(words)
defects += [f"{x['url']} has no title or no summary" for x in entries.values()
            if not x["title"] or not re.match(r"(?!cpp )\S", x["about"])]
if defects:
    sys.exit("synonyms.txt: " + "\nsynonyms.txt: ".join(defects))
with open(os.path.join(site, "search-data.js"), "w", encoding="utf-8") as file:
    file.write("corioSearchData = " + json.dumps(list(entries.values()), ensure_ascii=False) + ";\n")

"""Checks that every link of the site leads to an existing file and anchor, and that nothing is loaded from a network:
check_links.py SITE"""
import os
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

site = os.path.abspath(sys.argv[1])


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), set(), set()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in ("id", "name"):
            if attributes.get(name):
                self.anchors.add(attributes[name])
        if tag == "a" and attributes.get("href"):
            self.links.add(attributes["href"])
        for name, tags in (("src", ("img", "script", "iframe", "object")), ("href", ("link",))):
            if tag in tags and attributes.get(name):
                self.loaded.add(attributes[name])


pages = {}
for folder, _, files in os.walk(site):
    for name in files:
        if name.endswith(".html"):
            page = Page()
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                page.feed(file.read())
            pages[os.path.join(folder, name)] = page

errors, count = set(), 0
for path, page in pages.items():
    here = os.path.relpath(path, site)
    for target in page.loaded:
        if urlsplit(target).scheme in ("http", "https") or target.startswith("//"):
            errors.add(f"{here} loads {target} from a network")
    for target in page.links | page.loaded:
        parts = urlsplit(target)
        # Doxygen itself links to empty parts of a summary, and to a namespace as an anchor of its page.
        if parts.fragment in ("nested-classes", "friends") or parts.fragment == parts.path[:-len(".html")]:
            continue
        if parts.scheme or target.startswith("//"):
            continue
        count += 1
        there = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) if parts.path else path
        if not os.path.exists(there):
            errors.add(f"{here}: no file {target}")
        elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].anchors:
            errors.add(f"{here}: no anchor {target}")
print(f"{len(pages)} pages, {count} links, {len(errors)} of them broken")
if errors or not pages:
    sys.exit("\n".join(sorted(errors)[:60]))

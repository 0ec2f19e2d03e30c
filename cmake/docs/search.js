// The search of the site: words typed are looked for in what search.py collected, by lunr, as one types. Also loaded by
// check_search.js, without a page.
"use strict";

// computeCoriolisMatrix is found by its parts, too, and mj_fullM by fullM.
function corioWords(text) {
  return text
    .split(/[^A-Za-z0-9_]+/)
    .flatMap((word) => {
      const parts = word.split(/_+|(?<=[a-z0-9])(?=[A-Z])/);
      return parts.length > 1 ? [word, ...parts] : [word];
    })
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 0);
}

class CorioSearch {
  constructor(lunr, entries) {
    this.lunr = lunr;
    this.entries = entries;
    const words = (field) => (entry) => corioWords(entry[field]).join(" ");
    this.index = lunr(function () {
      this.tokenizer.separator = /\s+/;
      this.ref("number");
      this.field("title", { boost: 12, extractor: words("title") });
      this.field("keys", { boost: 10, extractor: words("keys") });
      this.field("text", { extractor: words("text") });
      this.b(0.4); // long fields, such as many names of others, count nearly as much
      entries.forEach((entry, number) => this.add({ number, ...entry }));
    });
  }

  /// Entries, the best first: those that have most of the words, by what lunr finds of each.
  find(query, most = 12) {
    const { lunr } = this;
    const words = query
      .trim()
      .split(/[^A-Za-z0-9_]+/)
      .map((word) => word.toLowerCase())
      .filter((word) => word.length > 0);
    const telling = words.filter((word) => lunr.stopWordFilter(word) && !/^(\d|use|using|need|want|make|my)$/.test(word));
    const typed = telling.length > 0 ? telling : words;
    const score = new Map();
    typed.forEach((word) => {
      const here = new Map();
      const look = (boost, options) =>
        this.index
          .query((q) => q.term(options.wildcard ? word : lunr.stemmer(new lunr.Token(word)).toString(), options))
          .forEach(({ ref, score: s }) => here.set(ref, Math.max(here.get(ref) || 0, boost * s)));
      look(1, { usePipeline: false });
      if (word.length > 1) look(0.5, { usePipeline: false, wildcard: lunr.Query.wildcard.TRAILING });
      if (here.size === 0 && word.length > 4) look(0.3, { usePipeline: false, editDistance: 1 });
      const largest = Math.max(...here.values(), 1e-9);
      here.forEach((s, ref) => {
        const sum = score.get(ref) || { words: 0, sum: 0 };
        score.set(ref, { words: sum.words + 1, sum: sum.sum + Math.sqrt(s / largest) });
      });
    });
    const whole = typed.join(" ");
    // Members of classes are found by their whole names; single words, such as friction, name too many.
    const isMember = (entry) => whole.includes("_") && (entry.members || []).includes(whole);
    this.entries.forEach((entry, i) => {
      if (isMember(entry) && !score.has(String(i))) score.set(String(i), { words: 0, sum: 0 });
    });
    return [...score]
      .map(([ref, { words, sum }]) => {
        const entry = this.entries[ref];
        const title = corioWords(entry.title).join(" ");
        const same = entry.title.toLowerCase() === whole || title === whole || isMember(entry);
        const late = /^page_(changes|papers|symbols)/.test(entry.url) ? 0.6 : 1; // lists of everything, for who asks for them
        return { entry, score: late * sum * (words / typed.length) ** 2 + (same ? 3 : 0) + (entry.kind === "class" ? -0.1 : 0) };
      })
      .sort((a, b) => b.score - a.score || a.entry.title.length - b.entry.title.length)
      .slice(0, most)
      .map(({ entry }) => entry);
  }
}

function corioSearchBox() {
  const box = document.getElementById("corio-search");
  if (!box) return;
  const input = box.querySelector("input");
  const list = box.querySelector("ol");
  let search = null;
  let chosen = -1;
  const choose = (number) => {
    const links = list.querySelectorAll("a");
    if (links.length === 0) return;
    chosen = (number + links.length) % links.length;
    links.forEach((link, i) => link.classList.toggle("chosen", i === chosen));
    links[chosen].scrollIntoView({ block: "nearest" });
  };
  const show = () => {
    search = search || new CorioSearch(lunr, corioSearchData);
    const found = input.value.trim() === "" ? [] : search.find(input.value);
    list.replaceChildren(
      ...found.map((entry) => {
        const link = document.createElement("a");
        link.href = box.dataset.root + entry.url;
        [["b", entry.title], ["i", entry.kind], ["span", entry.about]].forEach(([tag, text]) => {
          const part = document.createElement(tag);
          part.textContent = text;
          link.append(part);
        });
        const item = document.createElement("li");
        item.append(link);
        return item;
      }),
    );
    if (found.length === 0 && input.value.trim() !== "") {
      const none = document.createElement("li");
      none.textContent = "Nothing has these words.";
      list.append(none);
    }
    list.hidden = input.value.trim() === "";
    choose(0);
  };
  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter") list.querySelectorAll("a")[chosen]?.click();
    else if (event.key === "Escape") (input.value = ""), show();
    else return;
    event.preventDefault();
  });
  // index.html?search=words, which a browser can have as a search engine of its own
  const asked = new URLSearchParams(location.search).get("search");
  if (asked) (input.value = asked), show();
  document.addEventListener("click", (event) => {
    if (!box.contains(event.target)) list.hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) input.focus(), event.preventDefault();
  });
}

if (typeof document !== "undefined") document.addEventListener("DOMContentLoaded", corioSearchBox);
else module.exports = { CorioSearch };

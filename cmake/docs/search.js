// The search of the site: words typed are looked for in what search.py collected, by lunr, as one types. Also loaded by
// check_search.js, without a page.
"use strict";

// computeCoriolisMatrix and computeRNEADerivatives are found by their parts, too, and mj_fullM by fullM.
function corioWords(text) {
  return text
    .split(/[^A-Za-z0-9_]+/)
    .flatMap((word) => {
      const parts = word.split(/_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
      return parts.length > 1 ? [word, ...parts] : [word];
    })
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 0);
}

// The stem of a word. A floating base is not one of float.
function corioStem(lunr, word) {
  return word === "floating" ? word : lunr.stemmer(new lunr.Token(word)).toString();
}

// Words of names and questions that say nothing about what is looked for.
const corioFillers = /^(\d|use|using|used|need|want|make|my|get|give|compute|calculate|find|corio|robot|robots)$/;
const corioAccessors = /^(get|set|init|calc|eval|compute|mj|jnt|to|utils)$/;

class CorioSearch {
  constructor(lunr, entries) {
    this.lunr = lunr;
    this.entries = entries;
    const words = (field) => (entry) => corioWords(entry[field] || "").join(" ");
    const stem = (token) => token.update((word) => corioStem(lunr, word));
    // The other words of an entry, in their order.
    this.phrases = entries.map(({ keys }) => keys
      .map((line) => ` ${corioWords(line).filter((word) => this.isTelling(word)).join(" ")} `).join("|"));
    lunr.Pipeline.registerFunction(stem, "corioStem");
    this.index = lunr(function () {
      this.tokenizer.separator = /\s+/;
      this.ref("number");
      this.field("title", { boost: 12, extractor: words("title") });
      this.field("keys", { boost: 10, extractor: words("keys") });
      this.field("text", { extractor: words("text") });
      this.pipeline.remove(lunr.stemmer);
      this.pipeline.add(stem);
      this.b(0.4); // long fields, such as many names of others, count nearly as much
      // Other words for an entry are documents of their own, so that each is as good as one that stands alone.
      entries.forEach(({ title, text, keys }, number) => {
        this.add({ number, title, text });
        keys.forEach((line, i) => this.add({ number: `${number} ${i}`, keys: line }));
      });
    });
  }

  isTelling(word) {
    return this.lunr.stopWordFilter(word) && !corioFillers.test(word);
  }

  /// Scores of the entries that have a word, or one that begins with it.
  look(word, boost, options) {
    return this.index.query((q) => q.term(options.wildcard ? word : corioStem(this.lunr, word), { usePipeline: false, ...options }))
      .map(({ ref, score }) => [ref.split(" ")[0], boost * score]);
  }
  withWord(word) {
    const longer = word.length > 1 ? this.look(word, 0.5, { wildcard: this.lunr.Query.wildcard.TRAILING }) : [];
    return [...this.look(word, 1, {}), ...longer];
  }

  /// A word as the pages have it: nullspace is null and space.
  known(word) {
    for (let i = 3; i <= word.length - 3 && this.withWord(word).length === 0; ++i) {
      const both = [word.slice(0, i), word.slice(i)];
      if (both.every((part) => this.look(part, 1, {}).length > 0)) return both;
    }
    return [word];
  }

  /// The telling words of a query. A name that no page has, such as getMassMatrix of another library, becomes its parts.
  telling(query) {
    const words = query
      .split(/[^A-Za-z0-9_]+/)
      .filter((word) => word.length > 0)
      .flatMap((word) => {
        const [whole, ...parts] = corioWords(word);
        if (this.withWord(whole).length > 0) return [whole];
        const tell = parts.filter((part) => !corioAccessors.test(part));
        return (tell.length > 0 ? tell : [whole]).flatMap((part) => this.known(part));
      });
    const telling = words.filter((word) => this.isTelling(word));
    return telling.length > 0 ? telling : words;
  }

  /// Entries, the best first: those that have most of the words, by what lunr finds of each.
  find(query, most = 12) {
    const typed = this.telling(query);
    const score = new Map();
    let weight = 0;
    typed.forEach((word) => {
      const here = new Map();
      const add = (found) => found.forEach(([ref, x]) => here.set(ref, Math.max(here.get(ref) || 0, x)));
      add(this.withWord(word));
      if (here.size === 0 && word.length > 4) add(this.look(word, 0.3, { editDistance: 1 }));
      const rare = Math.log(1 + this.entries.length / (1 + here.size));  // a rare word tells more
      weight += rare;
      const largest = Math.max(...here.values(), 1e-9);
      here.forEach((s, ref) => {
        const sum = score.get(ref) || { words: 0, sum: 0 };
        score.set(ref, { words: sum.words + rare, sum: sum.sum + rare * Math.sqrt(s / largest) });
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
        const late = /^page_(changes|papers|symbols|guide_bad_input)/.test(entry.url) ? 0.6 : 1; // lists of everything, for who asks for them
        const phrase = typed.length > 1 && this.phrases[ref].includes(" " + whole + " ");
        const bonus = (same ? 3 : 0) + (phrase ? 1 : 0) - (entry.kind === "class" ? 0.1 : 0);
        return { entry, score: (late * typed.length * sum * words ** 2) / weight ** 3 + bonus };
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
else module.exports = { CorioSearch, corioAccessors, corioStem, corioWords };

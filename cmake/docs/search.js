// The search of the site: lunr looks for the typed words in the entries of search.py, at each key. check_search.js loads
// this file without a page.
"use strict";

// Returns words and the parts of names, so that parts find computeRNEADerivatives, too, and fullM finds mj_fullM.
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

// Returns the stem of a word. `floating` stays, since a floating base has nothing to do with float.
function corioStem(lunr, word) {
  return word === "floating" ? word : lunr.stemmer(new lunr.Token(word)).toString();
}

// These words of questions and names say nothing about the subject.
const corioFillers = /^(\d|use|using|used|need|want|make|my|get|give|compute|calculate|find|corio|robot|robots)$/;
const corioAccessors = /^(get|set|init|calc|eval|compute|mj|jnt|to|utils)$/;

class CorioSearch {
  constructor(lunr, entries) {
    this.lunr = lunr;
    this.entries = entries;
    const words = (field) => (entry) => corioWords(entry[field] || "").join(" ");
    const stem = (token) => token.update((word) => corioStem(lunr, word));
    // The synonyms of an entry in their order, to recognise phrases.
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
      this.b(0.4); // long fields, such as those with many names, count nearly as much as short ones
      // Each line of synonyms is a document of its own, so that an entry with many lines is not found less well.
      entries.forEach(({ title, text, keys }, number) => {
        this.add({ number, title, text });
        keys.forEach((line, i) => this.add({ number: `${number} ${i}`, keys: line }));
      });
    });
  }

  isTelling(word) {
    return this.lunr.stopWordFilter(word) && !corioFillers.test(word);
  }

  /// Returns [entry, score] for the entries that have a word.
  look(word, boost, options) {
    return this.index.query((q) => q.term(options.wildcard ? word : corioStem(this.lunr, word), { usePipeline: false, ...options }))
      .map(({ ref, score }) => [ref.split(" ")[0], boost * score]);
  }
  /// Returns [entry, score] also for words that begin with it.
  withWord(word) {
    const longer = word.length > 1 ? this.look(word, 0.5, { wildcard: this.lunr.Query.wildcard.TRAILING }) : [];
    return [...this.look(word, 1, {}), ...longer];
  }

  /// Splits a word that no page has into two that pages have, such as nullspace into null and space.
  known(word) {
    for (let i = 3; i <= word.length - 3 && this.withWord(word).length === 0; ++i) {
      const both = [word.slice(0, i), word.slice(i)];
      if (both.every((part) => this.look(part, 1, {}).length > 0)) return both;
    }
    return [word];
  }

  /// Returns the telling words of a query, and the parts of a name that no page has, such as getMassMatrix.
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

  /// Returns entries, the best first: those with most of the words, ranked by lunr's score of each word.
  find(query, most = 12) {
    const typed = this.telling(query);
    const score = new Map();
    let weight = 0;
    typed.forEach((word) => {
      const here = new Map();
      const add = (found) => found.forEach(([ref, x]) => here.set(ref, Math.max(here.get(ref) || 0, x)));
      add(this.withWord(word));
      if (here.size === 0 && word.length > 4) add(this.look(word, 0.3, { editDistance: 1 }));
      const rare = Math.log(1 + this.entries.length / (1 + here.size)); // a rare word tells more
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
        // Lists of everything come last, unless one asks for them.
        const late = /^page_(changes|papers|symbols|guide_bad_input)/.test(entry.url) ? 0.6 : 1;
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
  // A browser can use index.html?search=words as a search engine.
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

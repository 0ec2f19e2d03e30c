// node check_search.js SITE QUERIES: types each query and fails unless a right page is among the first three. This page
// must contain a word of the query, since a list of synonyms alone could lead to a page without an answer.
"use strict";
const fs = require("fs");
const path = require("path");
const [site, queries] = process.argv.slice(2);
const { CorioSearch, corioAccessors, corioStem, corioWords } = require("./search.js");
const lunr = require(path.resolve(site, "lunr.js"));
const data = fs.readFileSync(path.join(site, "search-data.js"), "utf8");
const entries = JSON.parse(data.slice(data.indexOf("["), data.lastIndexOf("]") + 1));
const search = new CorioSearch(lunr, entries);

const pages = new Map();
function stemsOf(url) {
  const page = url.split("#")[0];
  if (!pages.has(page)) {
    const text = fs.readFileSync(path.join(site, page), "utf8").replace(/^.*<div class="contents">/s, "").replace(/<[^>]*>/g, " ");
    pages.set(page, new Set(corioWords(text).map((word) => corioStem(lunr, word))));
  }
  return pages.get(page);
}
// Whether a page has a word of the query, or a word that it abbreviates, such as jac in mj_jacDot for jacobian.
function answers(query, url) {
  const stems = stemsOf(url);
  return [...search.telling(query), ...corioWords(query)].some((word) => {
    const stem = corioStem(lunr, word);
    return search.isTelling(word) && !corioAccessors.test(word)
      && (stems.has(stem) || (word.length > 2 && [...stems].some((other) => other.startsWith(stem))));
  });
}

const lines = fs.readFileSync(queries, "utf8").split("\n").filter((line) => !line.startsWith("#") && line.includes(" | "));
let wrong = 0;
for (const line of lines) {
  const [query, ...right] = line.split("|").map((x) => x.trim());
  const found = search.find(query).slice(0, 3).map((x) => x.url);
  // Queries name a page or a heading.
  const good = found.filter((x) => x.replace(".html", "").split("#").some((part) => right.includes(part)));
  if (good.some((url) => answers(query, url))) continue;
  console.error(good.length > 0 ? `'${query}' finds ${good.join(", ")}, which has none of its words`
    : `'${query}' finds ${found.join(", ")}, not ${right.join(" or ")}`);
  wrong += 1;
}
console.log(`${lines.length} queries, ${wrong} of them without the right page among the first three`);
process.exit(wrong ? 1 : 0);

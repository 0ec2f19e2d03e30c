// node check_search.js SITE QUERIES: types each query and asks for the right page among the first three.
"use strict";
const fs = require("fs");
const path = require("path");
const [site, queries] = process.argv.slice(2);
const { CorioSearch } = require("./search.js");
const data = fs.readFileSync(path.join(site, "search-data.js"), "utf8");
const entries = JSON.parse(data.slice(data.indexOf("["), data.lastIndexOf("]") + 1));
const search = new CorioSearch(require(path.resolve(site, "lunr.js")), entries);
const lines = fs.readFileSync(queries, "utf8").split("\n").filter((line) => !line.startsWith("#") && line.includes(" | "));
let wrong = 0;
for (const line of lines) {
  const [query, ...right] = line.split("|").map((x) => x.trim());
  const found = search.find(query).slice(0, 3).map((x) => x.url);
  if (right.some((url) => found.some((x) => x === url || x.startsWith(url + "#") || x.startsWith(url + ".html")))) continue;
  console.error(`'${query}' finds ${found.join(", ")}, not ${right.join(" or ")}`);
  wrong += 1;
}
console.log(`${lines.length} queries, ${wrong} of them without the right page among the first three`);
process.exit(wrong ? 1 : 0);

/** The catalogues of texts: whole in each language, and how many texts are still beside them. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import ts from "typescript";
import { web } from "../../test/support.js";

const src = path.join(web, "app/src");
const catalogue = (language) => JSON.parse(readFileSync(path.join(src, "words", `${language}.json`), "utf8"));

/** The variables of a message. */
const variables = (message) => [...new Set([...message.matchAll(/\{(\w+)/g)].map(([, name]) => name))].filter((name) => message.includes(`{${name}}`) || message.includes(`{${name},`)).sort();

test("each language says all, with the same variables", () => {
  const [en, de] = ["en", "de"].map(catalogue);
  assert.deepEqual(Object.keys(de), Object.keys(en));
  for (const [name, text] of Object.entries(en)) {
    assert.notEqual(de[name].trim(), "", name);
    assert.deepEqual(variables(de[name]), variables(text), name);
    assert(Array.isArray(compileMessage(text)) && Array.isArray(compileMessage(de[name])), name);
  }
});

test("each text of the catalogue is used", () => {
  const code = readdirSync(src, { recursive: true }).filter((file) => /\.tsx?$/.test(file)).map((file) => readFileSync(path.join(src, file), "utf8")).join("\n");
  assert.deepEqual(Object.keys(catalogue("en")).filter((name) => !code.includes(`"${name}"`)), []);
});

test("no setting has the name of a text, which the build would shorten", () => {
  const names = Object.keys(catalogue("en"));
  const kept = readdirSync(src, { recursive: true })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [...readFileSync(path.join(src, file), "utf8").matchAll(/\b(?:recall|remember|setting|[gs]etItem|removeItem)\w*(?:<[^>]*>)?\(\s*"([^"]+)"/g)])
    .map(([, name]) => name);
  assert(kept.includes("walletconnect.project"), "settings are found");
  assert.deepEqual(kept.filter((name) => names.includes(name)), []);
});

/** The views whose texts are in a part of their own: navigation.ts and app.tsx have that part loaded with them. */
const APART = { more: /^views\/(activate|connect|console|lightning|nfts|node|tokens)(\/|\.tsx$)/, design: /^views\/design\.tsx$/ };

test("texts of a part are used where that part is loaded", () => {
  const parts = readFileSync(path.join(web, "app/words-plugin.ts"), "utf8");
  for (const [part, views] of Object.entries(APART)) {
    const areas = JSON.parse(new RegExp(`^  ${part}: (\\[.*\\]),$`, "m").exec(parts)?.[1] ?? "[]");
    assert.notEqual(areas.length, 0, part);
    const names = Object.keys(catalogue("en")).filter((name) => areas.includes(name.split(".")[0]));
    for (const file of readdirSync(src, { recursive: true }).filter((name) => /\.tsx?$/.test(name) && !views.test(name))) {
      const code = readFileSync(path.join(src, file), "utf8");
      assert.deepEqual(names.filter((name) => code.includes(`"${name}"`)), [], file);
    }
  }
});

/** Texts for people in a module: what stands between tags, and what attributes and values say in words. */
function textsIn(file) {
  const module = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true, file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  let count = 0;
  const look = (node) => {
    const text = ts.isJsxText(node) || ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node) ? node.text : "";
    const named = ts.isJsxAttribute(node.parent ?? node) && /^(label|hint|title|text|what|name|done|todo|aria-label)$/.test(node.parent.name.getText());
    if (ts.isJsxText(node) ? /\p{L}{2}/u.test(text) : named ? /^\p{Lu}\p{Ll}/u.test(text) : /^\p{Lu}[\p{L}']* \p{L}/u.test(text)) {
      count++;
    }
    ts.forEachChild(node, look);
  };
  look(module);
  return count;
}

/** How many texts stand in code; views move to the catalogue one by one, and this number goes down. */
const LEFT = 467;

test("no more texts than before stand in code", () => {
  const files = readdirSync(src, { recursive: true }).filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"));
  const count = files.reduce((sum, file) => sum + textsIn(path.join(src, file)), 0);
  console.log(`texts in code: ${count}; in the catalogue: ${Object.keys(catalogue("en")).length}`);
  assert(count <= LEFT, `${count} texts stand in code, and there were ${LEFT}: put new ones into src/words`);
});

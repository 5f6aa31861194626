/** The message catalogs: each language is complete, and the number of texts outside them is limited. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import ts from "typescript";
import { web } from "../../test/support.js";

const src = path.join(web, "app/src");
const catalogue = (language) => JSON.parse(readFileSync(path.join(src, "words", `${language}.json`), "utf8"));

/** Returns the variables of a message. */
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

/** The views whose texts are in a separate part, which navigation.ts and app.tsx load with them. */
const APART = { more: /^views\/((activate|connect|console|lightning|nfts|node|tokens)(\/|\.tsx$)|send\/nft)/, design: /^views\/design\.tsx$/ };

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

/** Attributes of elements and components whose values are not displayed. */
const TECHNICAL = /^(class|key|id|name|type|href|d|viewBox|autoComplete|inputMode|rel|target|role|data-.*|transform|path|load|for|form|of|as|value|list|at)$/;

/** The texts that are allowed in code, by reason. */
const ALLOWED = {
  "names of products and projects": ["Obverse", "Obverse wallet", "obverse page", "obverse passkey", "WalletConnect", "Keplr", "Metamask", "Lightning", "Cosmos", "Ethereum", "chainlist.org"],
  "names of languages, each in itself": ["English", "Deutsch"],
  "units, and tickers on the page of all parts": ["ms", "USD", "ATOM", "ETH", "Cosmos, cosmoshub-4"],
  "kinds of errors, answers and fees, as the node and browsers name them": ["Already", "Calc", "Chain", "Crashed", "Error", "Eth", "Indexer", "Timeout", "Transport", "Unreachable"],
  "what is looked for in the texts of nodes and servers, or stands for one": ["HTTP status", "Invalid address checksum", "its blocks are made by"],
  "messages of errors, which are in the details of what the page says": ["the daemon API does not answer", "invalid wallet file", "the authenticator gave no secret of 32 bytes", "the passkey does not open the wallet", "the password is wrong", "wrong password, or the file was changed"],
  "what the wallet answers to programs of sites": ["family is eip155 or cosmos, and chains are at most", "of it", "this page has no origin, so the wallet does not talk to it: serve it over http or https"],
  "names of parts, caches, ids and states that only code sees": ["in a block", "obverse-shell", "sent"],
  "commands": ["make run", "obverse serve"],
  "selectors of elements": [".does button:last-child", "main form", 'main form [aria-invalid="true"]', "main h1"],
};

/** Reports whether a text may be for users: words separated by a space, a capitalized word, or the continuation of a sentence. */
const isWords = (text) => /\p{L}{2}[,.:;…]? \p{L}|\p{L} \p{L}{2}|^\s?\p{Lu}\p{Ll}+[.:…!?]?\s?$|^[\s,.:;]*\p{L}{2,}.* $|^[,.:]? \p{L}{2,}/u.test(text);

const COMPARISONS = [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken, ts.SyntaxKind.InKeyword];

/** Reports whether a text belongs to the program: an import, a comparison, a lookup or a type. */
function isOfProgram(node) {
  const { parent } = node;
  return (
    ts.isImportDeclaration(parent) ||
    ts.isExportDeclaration(parent) ||
    ts.isLiteralTypeNode(parent) ||
    ts.isCaseClause(parent) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isCallExpression(parent) && (parent.expression.kind === ts.SyntaxKind.ImportKeyword || parent.parent.name?.getText() === "load")) ||
    (ts.isBinaryExpression(parent) && COMPARISONS.includes(parent.operatorToken.kind))
  );
}

const isText = (node) => ts.isJsxText(node) || ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);

/** Returns the texts for users in a module: all texts with words, except for messages of errors that no view displays. */
function textsIn(name, code) {
  const found = [];
  const look = (node) => {
    const isError = ts.isNewExpression(node) && /Error$/.test(node.expression.getText());
    if (isError || (ts.isJsxAttribute(node) && TECHNICAL.test(node.name.getText()))) {
      return;
    }
    if (isText(node) && (ts.isJsxText(node) ? /\p{L}{2}/u.test(node.text) : isWords(node.text) && !isOfProgram(node))) {
      found.push(node.text.trim());
    }
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile(name, code, ts.ScriptTarget.Latest, true, name.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS));
  return found;
}

test("texts in code are found wherever they stand", () => {
  const code = 'const a = <p title="Your coins" class="a b">Hello {n} <b>{x ? "Yes" : `Wait ${n} s`}</b></p>; const b = ["enter a name", `${n} of them`]; throw new RangeError("not for people");';
  assert.deepEqual(textsIn("a.tsx", code), ["Your coins", "Hello", "Yes", "Wait", "enter a name", "of them"]);
});

test("no text stands in code", () => {
  const files = readdirSync(src, { recursive: true }).filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"));
  const found = files.flatMap((file) => textsIn(file, readFileSync(path.join(src, file), "utf8")).map((text) => ({ file, text })));
  const allowed = Object.values(ALLOWED).flat();
  assert.deepEqual(found.filter(({ text }) => !allowed.includes(text)), [], "put them into src/words, or into ALLOWED with the reason");
  assert.deepEqual(allowed.filter((text) => !found.some((one) => one.text === text)), [], "ALLOWED names texts that are gone");
});

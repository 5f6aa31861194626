/** The page's handling of texts before they are displayed or sent: JSON, token payloads, and secrets in calls. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { web } from "../../test/support.js";
import { load } from "./module.js";

const { parseExact, pretty, tokens } = await load("exact.ts");
const { typed, plainDecimal, quotient, product } = await load("decimal.ts");
const { visible } = await load("visible.ts");
const { readable } = await load("money.ts");
const { payloadOf, bytesOf } = await load("views/tokens/payload.ts");
const { spotAt } = await load("views/console/caret.ts");
const { redact, warning, showsSecret } = await load("views/console/secrets.ts");
const { skeleton, withParam, given, countGiven, firstGap, valueOf } = await load("views/console/skeleton.ts");
const { schemaAt, paramsSchema, typeOf } = await load("views/console/document.ts");

test("numbers keep their digits, and nothing else changes", () => {
  const text = '{"a":9007199254740993,"b":[1.10,-0.00000001,1e400],"c":"1.10","d":"say \\"2\\" \\\\","e":null,"f":true,"":{}}';
  assert.deepEqual(parseExact(text), { a: "9007199254740993", b: ["1.10", "-0.00000001", "1e400"], c: "1.10", d: 'say "2" \\', e: null, f: true, "": {} });
  for (const whole of ["7", '"7"', "[]", " { } ", '"\\\\"']) {
    assert.equal(typeof parseExact(whole) === "string", whole !== "[]" && whole !== " { } ");
  }
  for (const bad of ["", "{", "{a:1}", "[1,]", "01", '"a', "[1 2]", "NaN", '{"a":1}{']) {
    assert.throws(() => parseExact(bad), SyntaxError, bad);
  }
});

test("amounts as people type them, and as a price has them, exactly", () => {
  for (const [text, amount] of [["1.5", "1.5"], ["1,50", "1.50"], [" ,5 ", "0.5"], ["5.", "5"], ["007", "007"], ["", null], [",", null], ["1,2,3", null], ["1.000,5", null], ["-1", null], ["1e3", null], ["0x1", null]]) {
    assert.equal(typed(text, ""), amount, text);
  }
  for (const [text, group, amount] of [["1,234", ",", null], ["1,234", ".", "1.234"], ["1.234", ".", null], ["123.456", ".", null], ["0,125", ",", "0.125"], ["1,2345", ",", "1.2345"], ["1,23", ",", "1.23"], ["1234,567", ",", "1234.567"], ["1,234", "\u00a0", "1.234"]]) {
    assert.equal(typed(text, group), amount, `${text} where ${group} is between thousands`);
  }
  for (const [text, number] of [["4.51", "4.51"], ["1.5e-7", "0.00000015"], ["2E3", "2000"], ["12.5e1", "125"], ["1e999", `1${"0".repeat(999)}`], ["1e1000", null], ["-1", null], ["", null], ["NaN", null]]) {
    assert.equal(plainDecimal(text), number, text);
  }
  assert.equal(quotient("10", "4.51", 6), "2.217294", "rounded down: 2.2172949…");
  assert.equal(quotient("0.000001", "3000", 18), "0.000000000333333333");
  assert.equal(quotient("90071992547409931.01", "0.00000001", 2), "9007199254740993101000000");
  assert.equal(quotient("1", "0", 6), null);
  assert.equal(product("1.999999", "4.51", 2), "9.01", "rounded down: 9.01999…");
  assert.equal(product("3", "0.5", 2), "1.5");
});

test("what cannot be seen is not in a text", () => {
  for (const [given, left] of [
    ["0x5aAe", "0x5aAe"],
    ["\ufeff\u200b0x5a\u00adAe\u200d\ufe0f\u2060", "0x5aAe"],
    ["legal\u00a0winner\u3000thank\u2028year", "legal winner thank year"],
    ["click \u202etxt.exe\u202c \u2066here\u2069\u200e\u200f\u061c", "click txt.exe here"],
    ["a\u0000b\u0007c\u007fd\u0085e", "abcde"],
    ["two\nlines\tand", "two\nlines\tand"],
    ["\u05e9\u05dc\u05d5\u05dd \u0633\u0644\u0627\u0645", "\u05e9\u05dc\u05d5\u05dd \u0633\u0644\u0627\u0645"],
    ["\u0646\u0645\u06cc\u200c\u062f\u0627\u0646\u0645", "\u0646\u0645\u06cc\u200c\u062f\u0627\u0646\u0645"],
    ["\u{1f469}\u200d\u{1f680} \u2764\ufe0f", "\u{1f469}\u200d\u{1f680} \u2764\ufe0f"],
    ["a\u{e0061}\u{e0020}b\u3164\u2800", "ab\u2800"],
  ]) {
    assert.equal(visible(given), left, JSON.stringify(given));
  }
});

test("amounts of tokens with very many decimals can be read", () => {
  const tiny = (decimals) => `0.${"0".repeat(decimals - 10)}5`;
  for (const [given, shown] of [
    ["1.5", "1.5"],
    ["0.000000000000000001", "0.000000000000000001"],
    [tiny(78), "< 0.000001"],
    [tiny(255), "< 0.000001"],
    [`-${tiny(78)}`, "> -0.000001"],
    [`0.000001${"0".repeat(60)}1`, "0.000001"],
    [`1234.5${"0".repeat(70)}1`, "1234.5"],
    [`0.5${"0".repeat(77)}`, `0.5${"0".repeat(77)}`],
    [`5${"0".repeat(80)}`, `5${"0".repeat(80)}`],
  ]) {
    assert.equal(readable(given), shown, given);
  }
});

test("JSON in lines says the same, digit by digit", () => {
  assert.equal(pretty('{"a":[1.10,{}],"b":{"c":[]},"d":"x,{}"}'), '{\n  "a": [\n    1.10,\n    {}\n  ],\n  "b": {\n    "c": []\n  },\n  "d": "x,{}"\n}');
  for (const value of [[], {}, 1, "a\nb", [[[]]], { a: { b: { c: [1, [2], {}] } } }, [null, true, ["{"]]]) {
    assert.equal(pretty(JSON.stringify(value)), JSON.stringify(value, null, 2));
    assert.equal(pretty(JSON.stringify(value, null, 7)), JSON.stringify(value, null, 2));
  }
});

test("the parts of a text that is not whole", () => {
  const kinds = (text) => [...tokens(text)].map(({ kind, start, end, open }) => `${kind} ${text.slice(start, end)}${open ? " open" : ""}`);
  assert.deepEqual(kinds('{"a": tru'), ["{ {", 'string "a"', ": :", "plain tru"]);
  assert.deepEqual(kinds('{"co\n "b"'), ["{ {", 'string "co open', 'string "b"']);
  assert.deepEqual(kinds('"\\"'), ['string "\\" open']);
  assert.deepEqual(kinds(" \n"), []);
});

test("scripts that say nothing of tokens", () => {
  for (const [name, script] of Object.entries({
    empty: "",
    "no hexadecimal": "6azz",
    "half a byte": "6a0",
    "to a key": "2103873f737ab9c80e10f0c0bf380a20499127269526ed59d3b097fe6b46e8533efdac",
    "another module": "6a04e3630000",
    "another function": "6a04f2780000",
    "nothing pushed": "6a",
    "an operation": "6a51",
    "three new owners": `6a24f274${"00".repeat(32)}0300`,
    "a count beyond the end": "6a0cf263ffffffffffffffffff00",
    "a push beyond the end": "6a4effffffff",
  })) {
    assert.equal(payloadOf(script), null, name);
  }
  assert.equal(bytesOf("0g"), null);
  assert.deepEqual(bytesOf("00fF"), Uint8Array.of(0, 255));
});

test("where a name belongs in JSON that is being written", () => {
  const at = (marked) => {
    const caret = marked.indexOf("|");
    const text = marked.replace("|", "");
    const spot = spotAt(text, caret);
    return spot && { path: spot.path.join("."), prefix: spot.prefix, replaces: text.slice(spot.start, spot.end), taken: spot.taken, colon: spot.colon };
  };
  for (const [marked, want] of Object.entries({
    '{"co|': { path: "", prefix: "co", replaces: '"co', taken: [], colon: false },
    '{"co|}': { path: "", prefix: "co", replaces: '"co', taken: [], colon: false },
    '{"co|in": 1}': { path: "", prefix: "co", replaces: '"coin"', taken: [], colon: true },
    '{\n  "coin": "A",\n  "am|\n}': { path: "", prefix: "am", replaces: '"am', taken: ["coin"], colon: false },
    '{"coin": "A", am|, "to": 1}': { path: "", prefix: "am", replaces: "am", taken: ["coin", "to"], colon: false },
    '{|}': { path: "", prefix: "", replaces: "", taken: [], colon: false },
    '{"a": 1, | }': { path: "", prefix: "", replaces: "", taken: ["a"], colon: false },
    '{"fee": {"g|"}}': { path: "fee", prefix: "g", replaces: '"g"', taken: [], colon: false },
    '{"nodes": [{"url": "x"}, {"a|"}]}': { path: "nodes", prefix: "a", replaces: '"a"', taken: [], colon: false },
    '{"a": {"b": {}}, "c|"}': { path: "", prefix: "c", replaces: '"c"', taken: ["a"], colon: false },
    '{"coin": "A|"}': null,
    '{"coin": |}': null,
    '{"coin"|: 1}': null,
    '["a|"]': null,
    '|{}': null,
    '{}|': null,
    '|': null,
  })) {
    assert.deepEqual(at(marked), want, marked);
  }
});

const { methods } = JSON.parse(readFileSync(path.join(web, "openrpc.json"), "utf8"));

test("the beginnings of all methods' parameters are JSON with what is required", () => {
  for (const method of methods) {
    const required = method.params.filter((param) => param.required).map(({ name }) => name);
    const text = skeleton("B", method);
    assert.deepEqual(Object.keys(JSON.parse(text)), required, method.name);
    assert.deepEqual(given(text), new Set(required));
    const list = skeleton("A", method);
    assert.equal(JSON.parse(list).length, required.length);
    assert.equal(countGiven(list), required.length);
    let [named, placed] = [text, list];
    for (const [n, { name }] of method.params.entries()) {
      if (!given(named).has(name)) {
        named = withParam("B", method, named, name);
      }
      if (n >= countGiven(placed)) {
        placed = withParam("A", method, placed, name);
      }
      assert(name in JSON.parse(named), `${method.name}: ${named}`);
      assert(JSON.parse(placed).length > n, `${method.name}: ${placed}`);
    }
    assert.equal(Object.keys(JSON.parse(named)).length, method.params.length);
  }
});

test("a parameter is added to what is there, which stays as it is", () => {
  const method = methods.find(({ name }) => name === "withdraw");
  assert.equal(withParam("B", method, "{}", "coin"), '{\n  "coin": ""\n}');
  assert.equal(withParam("B", method, "", "coin"), '{\n  "coin": ""\n}');
  assert.equal(withParam("B", method, '{"amount": 1.50}', "max"), '{"amount": 1.50,\n  "max": false\n}');
  assert.equal(withParam("A", method, '["a", {"b": [1, 2]}]', "amount"), '["a", {"b": [1, 2]}, ""]');
  assert.equal(withParam("A", method, "[]", "amount"), '["", "", ""]');
  assert.equal(withParam("B", method, '{"a": ', "coin"), null, "it has no end");
  assert.equal(withParam("B", method, "{}", "nothing"), null);
  assert.deepEqual(firstGap('{\n  "coin": ""\n}'), [13, 13]);
  assert.deepEqual(firstGap("{}"), [1, 1]);
});

test("what a schema allows, in words, and what is at a path in it", () => {
  const find = (name) => paramsSchema(methods.find((method) => method.name === name));
  assert.equal(typeOf(schemaAt(find("withdraw"), ["amount"])), "string or number");
  assert.equal(typeOf(schemaAt(find("withdraw"), ["fee", "gas_limit"])), "integer from 1");
  assert.equal(typeOf(schemaAt(find("enable_tendermint_with_assets"), ["nodes"])), "array of object");
  assert.equal(typeOf(schemaAt(find("enable_tendermint_with_assets"), ["nodes", "url"])), "string");
  assert.equal(schemaAt(find("withdraw"), ["fee", "nothing", "more"]), null);
  assert.equal(valueOf({ type: "string", enum: ["x", "y"] }), '"x"');
  assert.equal(valueOf({}), "null");
});

test("secrets are left out of what is remembered of a call", () => {
  const words = "legal winner thank year wave sausage worth useful legal winner thank yellow";
  for (const [text, want] of [
    ['{"passphrase": "a b"}', '{"passphrase": ""}'],
    ['{"userpass":"x","coin":"A"}', '{"userpass":"","coin":"A"}'],
    ['{"a": {"rpc_password": 12, "b": 1.50}}', '{"a": {"rpc_password": "", "b": 1.50}}'],
    ['{"seed": {"words": ["x", {"y": true}]}, "z": "kept"}', '{"seed": {"words": ["", {"y": ""}]}, "z": "kept"}'],
    ['{"priv_key": "00"}', '{"priv_key": ""}'],
    [`["${words}"]`, '[""]'],
    [`{"message": "${words}"}`, '{"message": ""}'],
    ['["UuKvTcXyFhYvYwBbvM3XeXRtF6kX7b7QaY4PpvGt9W9yY3yQ1n1b"]', '[""]'],
    ['{"nodes": [{"url": "https://me:word@node.example/x"}]}', '{"nodes": [{"url": "https://node.example/x"}]}'],
    ['{"passphrase": "cut', '{"passphrase": ""'],
  ]) {
    assert.deepEqual(redact(text), { text: want, changed: true }, text);
  }
  for (const text of ['{"priv_key_policy": {"type": "ContextPrivKey"}}', '{"coin": "ATOM", "amount": 1.10}', `["${"ab".repeat(32)}", "02${"cd".repeat(32)}", "2500"]`, '{"message": "pass it on to them"}', "", "{", '{"url": "https://node.example/a@b"}']) {
    assert.deepEqual(redact(text), { text, changed: false });
  }
});

test("methods that show a secret or end the node are warned of", () => {
  assert.match(warning("A", "dumpprivkey"), /private key/);
  assert.match(warning("B", "stop"), /stops the node/);
  assert.match(warning("B", "get_mnemonic"), /secrets/);
  assert.equal(warning("B", "get_public_key"), "");
  assert.deepEqual([showsSecret("A", "dumpprivkey"), showsSecret("B", "stop"), showsSecret("A", "tokenlist")], [true, false, false]);
});

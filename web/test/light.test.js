/**
 * The light client with blocks that were signed by CometBFT's own types, compared with CometBFT's own light client
 * (native/cometbft/lightvectors), and with nodes that return false answers.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { LightError, lightClient } from "../src/light.js";
import { lightBlockOf } from "../src/light/block.js";
import { follows } from "../src/light/verify.js";

const { trusted, verdicts, chain, state } = JSON.parse(readFileSync(new URL("testdata/light.json", import.meta.url), "utf8"));
const copy = (value) => structuredClone(value);
const header = (block) => block.signed_header.header;
const timeOf = (block) => Date.parse(header(block).time);
const HOUR = 3600;

/** Returns a client with its clock set to a minute after a block. */
const clientAt = (block, options) => lightClient({ pin: trusted.four, trustingPeriod: HOUR, now: () => timeOf(block) + 60_000, ...options });

test("blocks are judged as CometBFT judges them", async (t) => {
  for (const { name, trusted: from, block, now, period, verdict, error } of verdicts) {
    await t.test(name, () => {
      let found = "ok";
      try {
        const [known, next] = [lightBlockOf(trusted[from]), lightBlockOf(block)];
        if (next.height <= known.height) {
          return; // the client rejects it earlier, see below
        }
        const limits = { trustingPeriod: BigInt(period) * 10n ** 9n, maxClockDrift: 10n ** 10n, now: BigInt(Date.parse(now)) * 10n ** 6n };
        found = follows(known, next, limits) ? "ok" : "untrusted";
      } catch (failed) {
        assert.ok(failed instanceof LightError, failed.stack);
        found = failed.kind === "Expired" ? "expired" : "refused";
      }
      assert.equal(found, verdict, error);
    });
  }
  assert.equal(verdicts.filter(({ verdict }) => verdict === "ok").length, 14);
});

/** Verifies an answer of the vectors. */
function verify(light, { method, params }, answer) {
  return method === "tokeninfo" ? light.verifyTokenInfo(answer, ...params) : light.verifyTokenBalance(answer, ...params);
}

/** A pin without signatures to verify. */
const pinnedSet = { chain_id: "TOKTEST-1", time: header(trusted.four).time, validators: trusted.four.validator_set.validators };

const clientFor = ({ answer }, options) => clientAt(answer.proof.light_block, options);

test("proven answers are verified", async () => {
  const balances = [];
  for (const asked of state) {
    const { answer, height } = asked;
    const found = await verify(clientFor(asked), asked, answer);
    assert.equal(found.height, height);
    assert.equal(found.signedHeight, height + 10);
    assert.equal(found.tip, answer.proof.tip);
    assert.equal(found.tokenid, answer.tokenid);
    if (asked.method === "tokenbalance") {
      balances.push(found.balance);
      assert.equal(found.balance, BigInt(answer.balance));
    } else {
      assert.deepEqual([found.owner, found.name, found.description, found.data], [answer.owner, answer.name, answer.description, answer.data ?? ""]);
    }
  }
  assert.deepEqual(balances, [1000n, 100n, 900n, 0n, 1n, 0n, 0n], "of the first token before and after a transfer, then of the one that is not fungible");
  assert.equal((await verify(clientFor(state[0]), state[0], state[0].answer)).supply, 1000n);
});

test("answers of a network of four validators are verified", async () => {
  const network = JSON.parse(readFileSync(new URL("testdata/lightnet.json", import.meta.url), "utf8"));
  const light = lightClient({ pin: network.pin, now: () => Date.parse(network.now) });
  const found = [];
  for (const asked of network.answers) {
    const { name, supply, balance } = await verify(light, asked, asked.answer);
    found.push(name ?? balance);
    assert.ok(asked.method === "tokenbalance" || supply === 1000n);
  }
  assert.deepEqual(found, ["Gold", 954n, 46n, 954n]);
});

/** Yields every value in a JSON text that is not an object or a list, with its path. */
function* leaves(value, at = []) {
  if (typeof value !== "object" || value === null) {
    yield at;
    return;
  }
  for (const name of Object.keys(value)) {
    yield* leaves(value[name], [...at, name]);
  }
}

/** Returns a value that differs by one: the next number or time, one changed bit in encoded data, or one more letter in a text. */
function altered(value) {
  if (typeof value === "number") {
    return value + 1;
  }
  if (typeof value !== "string") {
    return value === null ? {} : !value;
  }
  const [, head, last] = /^(.*)([0-9a-fA-F])$/s.exec(value) ?? [];
  if (/^\d{4}-/.test(value)) {
    return value.replace(/\d\d(\.\d+)?Z$/, (text) => `${text[0]}${(Number(text[1]) + 1) % 10}${text.slice(2)}`);
  }
  if (value.endsWith("=")) {
    return (value[0] === "A" ? "B" : "A") + value.slice(1);
  }
  return last === undefined ? `${value}x` : head + ((parseInt(last, 16) + 1) % 16).toString(16);
}

/** Fields that no rule reads: the proposer is not part of the data that validators sign. */
const UNREAD = /(validator_set\.proposer|\.proposer_priority$)/;

test("an answer of which any field is altered is refused", async (t) => {
  for (const asked of [info, balance2, balance3]) {
    let refused = 0;
    for (const path of leaves(asked.answer)) {
      const name = path.join(".");
      const answer = copy(asked.answer);
      const within = path.slice(0, -1).reduce((value, step) => value[step], answer);
      const last = path.at(-1);
      const was = within[last];
      within[last] = altered(was);
      assert.notEqual(within[last], was, name);
      const found = verify(clientFor(asked, { pin: pinnedSet }), asked, answer);
      if (UNREAD.test(name)) {
        await found;
        continue;
      }
      await assert.rejects(found, LightError, `${asked.method}: ${name} was ${JSON.stringify(was)}, is ${JSON.stringify(within[last])}`);
      refused++;
    }
    t.diagnostic(`${asked.method}: ${refused} fields`);
    assert.ok(refused > 60);
  }
});

test("an answer of which any field is missing is refused", async () => {
  const asked = state[1];
  for (const path of leaves(asked.answer)) {
    const name = path.join(".");
    const answer = copy(asked.answer);
    delete path.slice(0, -1).reduce((value, step) => value[step], answer)[path.at(-1)];
    const found = verify(clientFor(asked, { pin: pinnedSet }), asked, answer);
    // The address follows from the key, and an absent validator has no signature.
    await (UNREAD.test(name) || /(validators\.\d\.address|signatures\.3\.signature)$/.test(name) ? found : assert.rejects(found, LightError, name));
  }
});

const is = (kind) => (error) => error instanceof LightError && error.kind === kind;
const [info, early, , balance1, balance2, balance3] = state;

test("lies are refused", async (t) => {
  const lie = (name, kind, change, asked = balance2, options = {}) =>
    t.test(name, async () => {
      const answer = copy(asked.answer);
      change(answer, answer.proof);
      await assert.rejects(verify(clientFor(asked, options), asked, answer), (error) => is(kind)(error) && !/bytes in hex/.test(error.message));
    });
  await lie("no proof", "BadProof", (answer) => delete answer.proof);
  await lie("another key's balance", "BadProof", (answer, proof) => (proof.balance = balance1.answer.proof.balance));
  await lie("the answer for another key", "BadProof", (answer) => Object.assign(answer, copy(balance1.answer)));
  await lie("another token", "BadProof", (answer, proof) => (proof.token = state[6].answer.proof.token));
  await lie("the answer for another token", "BadProof", (answer) => Object.assign(answer, copy(state[7].answer)));
  await lie("0 and the proof of another key's absence", "BadProof", (answer, proof) => {
    answer.balance = 0;
    proof.balance = balance3.answer.proof.balance;
  });
  await lie("0 and a path that ends early", "BadProof", (answer, proof) => {
    answer.balance = 0;
    Object.assign(proof.balance, { leaf: null, siblings: proof.balance.siblings.slice(0, -1) });
  });
  await lie("0 and no leaf", "BadProof", (answer, proof) => {
    answer.balance = 0;
    proof.balance.leaf = null;
  });
  await lie("0 without a path", "BadProof", (answer, proof) => {
    answer.balance = 0;
    delete proof.balance;
  });
  await lie("a state of an earlier block under a newer header", "BadProof", (answer, proof) => Object.assign(proof, { ...copy(early.answer.proof), light_block: proof.light_block }));
  await lie("a token that is not there", "BadProof", (answer, proof) => (proof.token.leaf = null));
  await lie("a tree deeper than any", "BadProof", (answer, proof) => (proof.balance.siblings = Array(257).fill("no hash")));
  await lie("a validator set of its own", "BadHeader", (answer, proof) => (proof.light_block.validator_set = copy(trusted.three.validator_set)));
  await lie("an unsigned header", "BadCommit", (answer, proof) => proof.light_block.signed_header.commit.signatures.forEach((one) => one.block_id_flag === 2 && (one.signature = `AAAA${one.signature.slice(4)}`)));
  await lie("an answer that is an error", "BadProof", (answer) => Object.assign(answer, { result: "error" }));
  await lie("validators that the pin does not know", "Untrusted", () => {}, balance2, { pin: { chain_id: "TOKTEST-1", time: "2026-03-01T12:05:00Z", validators: chain.at(-1).validator_set.validators } });
});

test("what was seen is not taken back", async () => {
  const light = clientFor(balance2);
  await verify(light, balance2, balance2.answer);
  await verify(light, balance1, balance1.answer); // the same header again
  assert.equal(light.trusted(), balance2.answer.proof.light_block);
  await assert.rejects(verify(light, early, early.answer), is("Old"));
  const other = copy(balance2.answer);
  other.proof.light_block = chain[Number(header(balance2.answer.proof.light_block).height) - 1];
  await assert.rejects(verify(light, balance2, other), is("BadHeader"), "another header of the same height");
});

test("time limits", async () => {
  const at = timeOf(balance2.answer.proof.light_block);
  const ask = (options) => verify(clientFor(balance2, options), balance2, balance2.answer);
  await assert.rejects(ask({ now: () => timeOf(trusted.four) + HOUR * 1000 + 1 }), is("Expired"));
  await assert.rejects(ask({ now: () => at - 10_000 }), is("BadHeader"), "the future");
  await ask({ now: () => at - 9_000 });
  await assert.rejects(ask({ now: () => at - 9_000, maxClockDrift: 5 }), is("BadHeader"));
  await ask({ maxAge: 61 });
  await assert.rejects(ask({ maxAge: 59 }), is("Old"));
  await ask({ now: () => at + 2 * HOUR * 1000 - 1, trustingPeriod: 24 * HOUR });
  await assert.rejects(ask({ now: () => at + 2 * HOUR * 1000 + 1, trustingPeriod: 24 * HOUR }), is("Old"));
  const pinned = { pin: balance2.answer.proof.light_block, now: () => at + 2 * HOUR * 1000 + 1 };
  await assert.rejects(ask(pinned), is("Old"), "the pinned header itself is too old to answer with");
});

test("a pin may be a validator set, as a genesis file has it", async () => {
  const validators = trusted.four.validator_set.validators.map(({ pub_key, voting_power: power }) => ({ pub_key, power, name: "" }));
  const pin = { chain_id: "TOKTEST-1", time: "2026-03-01T12:00:00Z", validators };
  await verify(clientFor(balance2, { pin }), balance2, balance2.answer);
  await assert.rejects(verify(clientFor(balance2, { pin: { ...pin, chain_id: "TOKTEST-2" } }), balance2, balance2.answer), is("BadHeader"));
  const first = lightClient({ pin, ask: async () => chain[0], now: () => timeOf(chain[0]) });
  assert.equal(await first.update(), 1, "the first block follows from it too");
});

test("bad pins are refused", () => {
  const unsigned = copy(trusted.four);
  unsigned.signed_header.commit.signatures.forEach((one) => (one.signature = `AAAA${one.signature.slice(4)}`));
  const set = { chain_id: "c", time: "2026-03-01T12:00:00Z", validators: trusted.four.validator_set.validators };
  const swapped = copy(set.validators);
  swapped[0].address = swapped[1].address;
  for (const pin of [null, {}, [], { chain_id: "c" }, { ...set, time: "yesterday" }, { ...set, validators: [] }, { ...set, validators: swapped }, unsigned, { ...trusted.four, validator_set: trusted.three.validator_set }]) {
    assert.throws(() => lightClient({ pin }), is("BadPin"), JSON.stringify(pin)?.slice(0, 100));
  }
});

/** Returns the request function of a node with the chain of the vectors. */
function serving(change = (block) => block) {
  const asked = [];
  const ask = async (method, [height = chain.length]) => {
    assert.equal(method, "getlightblock");
    asked.push(height);
    return change(copy(chain[height - 1]));
  };
  return { asked, ask };
}

test("changes of the validators are followed", async (t) => {
  const now = () => timeOf(chain.at(-1));
  const way = (pin, node) => lightClient({ pin, now, ask: node.ask, trustingPeriod: HOUR });
  await t.test("by way of the blocks half way", async () => {
    const node = serving();
    const light = way(chain[0], node);
    assert.equal(await light.update(), chain.length);
    assert.ok(node.asked.length > 1 && node.asked.length < 8, String(node.asked));
    assert.equal(header(light.trusted()).height, String(chain.length));
    assert.equal(await way(light.trusted(), node).update(), chain.length, "from what was trusted");
  });
  await t.test("one by one", async () => {
    let height = 1;
    const light = lightClient({ pin: chain[0], now, trustingPeriod: HOUR, ask: async () => chain[height] });
    for (; height < chain.length; height++) {
      assert.equal(await light.update(), height + 1);
    }
  });
  await t.test("not without a node that is asked for more", async () => {
    const light = lightClient({ pin: chain[0], now, trustingPeriod: HOUR });
    await assert.rejects(light.verifyTokenInfo({ proof: { ...info.answer.proof, light_block: chain.at(-1) } }, info.params[0]), is("Untrusted"));
    await assert.rejects(light.update(), TypeError);
  });
  await t.test("not by way of another height", async () => {
    const node = serving();
    await assert.rejects(way(chain[0], { ask: (method, [height]) => node.ask(method, height === undefined ? [] : [height + 1]) }).update(), is("BadAnswer"));
  });
  await t.test("not by way of blocks that are not signed", async () => {
    const node = serving((block) => {
      if (header(block).height !== String(chain.length)) {
        block.signed_header.commit.signatures.forEach((one) => (one.block_id_flag = 3));
      }
      return block;
    });
    await assert.rejects(way(chain[0], node).update(), is("BadCommit"));
  });
});

test("a node is asked with a proof", async () => {
  const asked = [];
  const ask = async (method, params) => {
    asked.push([method, params]);
    return method === "tokeninfo" ? state[2].answer : balance2.answer;
  };
  const light = clientFor(balance2, { ask });
  const [id, key] = balance2.params;
  assert.equal((await light.tokenBalance(id, key)).balance, 900n);
  assert.equal((await light.tokenInfo(id.toUpperCase())).name, "Goldü");
  assert.deepEqual(asked, [["tokenbalance", [id, key, { prove: true }]], ["tokeninfo", [id.toUpperCase(), { prove: true }]]]);
  await assert.rejects(light.tokenBalance("12", key), TypeError);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import init, { LogLevel, MainStatus, mm2_main, mm2_main_status, mm2_rpc, mm2_stop, mm2_version, StartupError } from "obverse/upstream";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { config, folder, owner } from "./support.js";

const userpass = "Upstr3am-word";

/** @param {Promise<any>} promise */
const rejection = (promise) =>
  promise.then(
    () => assert.fail("it was not rejected"),
    (reason) => reason,
  );

test("the names, numbers and rejections of upstream", async () => {
  await init();
  assert.equal(mm2_main_status(), MainStatus.NotRunning);
  assert.equal(await rejection(mm2_rpc({})), 1);
  assert.equal(await rejection(mm2_stop()), 1);
  for (const [params, code] of [
    [undefined, 1],
    [{}, 1],
    [{ conf: [] }, 1],
    [{ conf: {}, log_level: 9 }, 1],
    [{ conf: { rpc_password: "weak" } }, 2],
  ]) {
    const error = await rejection(mm2_main(params, () => {}));
    assert(error instanceof StartupError);
    assert.equal(error.code, code, error.message);
    assert.equal(mm2_main_status(), MainStatus.NotRunning);
  }

  const lines = [];
  const conf = config({ rpc_password: userpass, unknown_key: 1 });
  const starting = mm2_main({ conf, log_level: LogLevel.Warn }, (level, line) => lines.push([level, line]));
  assert.equal(mm2_main_status(), MainStatus.NoContext);
  assert.equal((await rejection(mm2_main({ conf }, () => {}))).code, 3);
  assert.equal(await starting, 0);
  assert.equal(mm2_main_status(), MainStatus.RpcIsUp);
  assert.deepEqual(
    lines.map(([level]) => level),
    [LogLevel.Warn],
  );
  assert.match(lines[0][1], /unknown_key/);
  assert.equal((await rejection(mm2_main({ conf }, () => {}))).code, 3);

  const request = { userpass, mmrpc: "2.0", method: "get_public_key", params: {}, id: 3 };
  assert.deepEqual(await mm2_rpc(request), { mmrpc: "2.0", result: { public_key: owner.publicKey }, id: 3 });
  assert.equal((await mm2_rpc({ ...request, userpass: "wrong" })).error_type, "UserpassIsInvalid", "errors of methods resolve");
  assert.equal((await mm2_rpc([request, request])).length, 2);
  const stream = { ...request, method: "stream::heartbeat::enable" };
  assert.equal((await mm2_rpc(stream)).result.streamer_id, "HEARTBEAT", "the client with the default id is this page");
  const circle = {};
  circle.self = circle;
  for (const payload of [undefined, null, "text", 5, circle, { n: 5n }]) {
    assert.equal(await rejection(mm2_rpc(payload)), 2);
  }
  const { result, datetime } = mm2_version();
  assert.deepEqual(await mm2_rpc({ method: "version" }), { result, datetime });

  const stopping = mm2_stop();
  assert.equal(await rejection(mm2_stop()), 3);
  await stopping;
  assert.equal(mm2_main_status(), MainStatus.NotRunning);
  assert.equal(await mm2_main({ conf }), 0, "and again");
  await mm2_rpc({ userpass, method: "stop" });
  while (mm2_main_status() !== MainStatus.NotRunning) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.equal(await rejection(mm2_rpc(request)), 1);
});

test("named wallets in a folder, as the native node has them", async (t) => {
  const dbdir = path.join(folder(t), "data");
  const login = (more = {}) => ({ conf: { rpc_password: userpass, dbdir, wallet_name: "my wallet", wallet_password: "Its-a-W4llet!", ...more }, log_level: LogLevel.Off });
  const ask = (method, params = {}) => mm2_rpc({ userpass, mmrpc: "2.0", method, params });
  await mm2_main(login({ passphrase: owner.passphrase }));
  const { encrypted_mnemonic_data: file } = (await ask("get_mnemonic", { format: "encrypted" })).result;
  assert.deepEqual(JSON.parse(readFileSync(path.join(dbdir, "my wallet.json"), "utf8")), file);
  assert.equal(statSync(path.join(dbdir, "my wallet.json")).mode & 0o777, 0o600);
  await ask("change_mnemonic_password", { current_password: "Its-a-W4llet!", new_password: "An0ther-one!" });
  await mm2_stop();
  assert.deepEqual(readdirSync(dbdir).sort(), ["b506088aa2a3b4bb1da3a29bf00ce1a550ea1df9", "my wallet.json"]);
  assert(existsSync(path.join(dbdir, "b506088aa2a3b4bb1da3a29bf00ce1a550ea1df9/obverse.db")));

  for (const more of [{}, { wallet_password: "An0ther-one!", passphrase: "another" }, { wallet_name: "obverse" }, { wallet_name: "other", allow_registrations: false }]) {
    const error = await rejection(mm2_main(login(more)));
    assert.equal(error.code, 4, error.message);
    assert.match(error.message, /^Error generating or decrypting mnemonic: /);
  }
  await mm2_main(login({ wallet_password: "An0ther-one!" }));
  assert.deepEqual((await ask("get_wallet_names", null)).result, { wallet_names: ["my wallet"], activated_wallet: "my wallet" });
  assert.equal((await ask("get_public_key")).result.public_key, owner.publicKey);
  await mm2_stop();
  await mm2_main({ conf: { rpc_password: userpass, dbdir }, log_level: LogLevel.Off });
  assert.equal((await ask("delete_wallet", { wallet_name: "my wallet", password: "An0ther-one!" })).result, null);
  assert.deepEqual((await ask("get_wallet_names")).result, { wallet_names: [], activated_wallet: null });
  await mm2_stop();
});

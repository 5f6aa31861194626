/** The Worker of storehost.js: an object that runs a Go program on the files that it offers the node. */

import { DurableObject } from "cloudflare:workers";
import module from "./store.wasm";
import glue from "../../../../web/src/wasm_exec.js";
import { quietAtEnd, world } from "../../../../web/src/engine.js";
import { Disk } from "../../../../web/src/storage/disk.js";
import { SqlDrive } from "../../../../web/worker/drive.js";

export class Store extends DurableObject {
  async fetch() {
    const output = [];
    const disk = new Disk(new SqlDrive(this.ctx.storage), (line) => output.push(line));
    const go = quietAtEnd(new (glue(world(globalThis, { fs: disk.fs() })))());
    go.argv = ["store.test", "-test.v"];
    go.env = { OBVERSE_STORE_FOLDER: "/" };
    const ended = new Promise((resolve) => (go.exit = resolve));
    go.run(await WebAssembly.instantiate(module, go.importObject));
    return Response.json({ code: await ended, output: output.join("\n") });
  }
}

export default { fetch: (request, env) => env.STORE.get(env.STORE.idFromName("store")).fetch(request) };

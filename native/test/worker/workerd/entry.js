/** The Worker of the tests: the real one, whose objects can be given a config and evicted. */

import worker, { Node } from "./index.js";

export class TestNode extends Node {
  #table() {
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS test_settings (name TEXT PRIMARY KEY, value TEXT)");
  }

  settings() {
    this.#table();
    return Object.fromEntries([...this.ctx.storage.sql.exec("SELECT name, value FROM test_settings")].map(({ name, value }) => [name, value]));
  }

  async fetch(request) {
    switch (new URL(request.url).pathname) {
      case "/__settings":
        this.#table();
        for (const [name, value] of Object.entries(await request.json())) {
          this.ctx.storage.sql.exec("INSERT OR REPLACE INTO test_settings VALUES (?, ?)", name, value);
        }
        return new Response("ok");
      case "/__evict":
        this.ctx.abort("evicted by the test");
        return new Response("not reached");
      case "/__panic":
        return super.fetch({ url: 1n, method: "GET", headers: new Headers(), body: null }); // which Go cannot read
      case "/__full":
        this.ctx.storage.sql.exec("CREATE TRIGGER test_full BEFORE INSERT ON pages BEGIN SELECT RAISE(ABORT, 'full, says the test'); END");
        return new Response("ok");
      case "/__room":
        this.ctx.storage.sql.exec("DROP TRIGGER test_full");
        return new Response("ok");
      case "/__running":
        return Response.json(this.isRunning);
      case "/__memory":
        return Response.json(await this.memory());
      default:
        return super.fetch(request);
    }
  }
}

/** An answer without a node, to compare with. */
export default {
  fetch: (request, env, ctx) => (new URL(request.url).pathname === "/__constant" ? Response.json({ mmrpc: "2.0", result: { public_key: "02".repeat(33) }, id: 5 }) : worker.fetch(request, env, ctx)),
};

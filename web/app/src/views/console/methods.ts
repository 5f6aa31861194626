/** The methods in the OpenRPC documents of both APIs. */

import { connection, daemon, rpc } from "../../node.ts";
import type { Method, Side } from "./document.ts";

interface Document {
  methods: (Omit<Method, "errors"> & { errors?: { $ref: string }[] })[];
  components?: { errors?: Record<string, { data?: { description?: string } }> };
}

function methodsOf({ methods, components }: Document): Method[] {
  return methods.map((method) => ({
    ...method,
    errors: (method.errors ?? []).map(({ $ref }) => {
      const kind = $ref.slice($ref.lastIndexOf("/") + 1);
      return { kind, when: components?.errors?.[kind]?.data?.description ?? "" };
    }),
  }));
}

/** Returns the methods of both APIs; no methods of the daemon API if the page has no access to it. */
export async function documents(): Promise<Record<Side, Method[]>> {
  const [b, a] = await Promise.all([rpc("rpc.discover"), connection.peek()?.hasDaemon ? daemon("rpc.discover") : { methods: [] }]);
  return { B: methodsOf(b as Document & typeof b), A: methodsOf(a as Document & typeof a) };
}

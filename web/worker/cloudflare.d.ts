/** What the Worker uses of its platform. */

declare module "cloudflare:workers" {
  export class DurableObject {
    constructor(ctx: unknown, env: unknown);
  }
}

declare module "cloudflare:sockets" {
  export function connect(address: string, options?: object): unknown;
}

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare class IdentityTransformStream extends TransformStream<Uint8Array, Uint8Array> {}

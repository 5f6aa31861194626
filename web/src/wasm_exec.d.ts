/** Go's wasm_exec.js as a function of the global object that the program sees; the build takes it from the Go toolchain. */
export default function glue(scope: object): new () => any;

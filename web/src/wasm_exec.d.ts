/** Go's wasm_exec.js as a function of the program's global object. The build copies it from the Go toolchain. */
export default function glue(scope: object): new () => any;

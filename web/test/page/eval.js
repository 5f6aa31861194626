// A worker that tries code that the policy forbids, and compiles a program, which the policy
// allows.
const evaluated = (() => {
  try {
    return new Function("return 1")();
  } catch (error) {
    return error.name;
  }
})();
const program = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
await WebAssembly.compile(program);
postMessage([evaluated, program.length]);

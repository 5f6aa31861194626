// Compiles the contracts of this folder into artefacts/: `npm ci && npm run build`.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import solc from "solc";

const settings = { optimizer: { enabled: true, runs: 200 }, evmVersion: "cancun", metadata: { bytecodeHash: "none", appendCBOR: false } };
const openzeppelin = JSON.parse(readFileSync("node_modules/@openzeppelin/contracts/package.json", "utf8")).version;
mkdirSync("artefacts", { recursive: true });
for (const file of readdirSync(".").filter((name) => name.endsWith(".sol"))) {
  const source = readFileSync(file, "utf8");
  const input = {
    language: "Solidity",
    sources: { [file]: { content: source } },
    settings: { ...settings, outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const load = (path) => ({ contents: readFileSync(`node_modules/${path}`, "utf8") });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: load }));
  const errors = (output.errors ?? []).filter((e) => e.severity === "error");
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join("\n"));
  const name = file.replace(".sol", "");
  const { abi, evm } = output.contracts[file][name];
  const sha256 = createHash("sha256").update(source).digest("hex");
  const artefact = { name, source: file, sha256, compiler: solc.version(), openzeppelin, settings, abi, bytecode: `0x${evm.bytecode.object}` };
  writeFileSync(`artefacts/${name}.json`, `${JSON.stringify(artefact)}\n`);
}

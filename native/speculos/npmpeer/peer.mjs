// Ledger's client libraries against a device at a port of this machine. Each request of a
// file becomes a line of JSON with what the library made of the answer; --frames writes
// how the library frames the APDUs of a file.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'

// The libraries' CommonJS builds: their ES modules import without file extensions.
const require = createRequire(import.meta.url)
const Cosmos = require('@ledgerhq/hw-app-cosmos').default
const { default: Eth, ledgerService } = require('@ledgerhq/hw-app-eth')
const Speculos = require('@ledgerhq/hw-transport-node-speculos').default
const framing = require('@ledgerhq/devices/hid-framing').default
const { serialize } = require('@ethersproject/transactions')

process.stdin.resume().on('end', () => process.exit())

const say = (line) => process.stdout.write(JSON.stringify(line) + '\n')
const hex = (bytes) => Buffer.from(bytes).toString('hex')
const bytes = (text) => Buffer.from(text, 'hex')

const cosmos = {
  version: (app) => app.getAppConfiguration(),
  address: (app, r) => app.getAddress(r.path, r.prefix, r.show),
  sign: async (app, r) => ({ signature: hex((await app.sign(r.path, r.document)).signature) }),
}

// transaction returns a request's transaction as ethers encodes it, without a signature.
function transaction (t) {
  const amount = (text) => '0x' + BigInt(text).toString(16)
  const common = { chainId: t.chain, nonce: t.nonce, gasLimit: t.gas, to: t.to, value: amount(t.value), data: t.data }
  return serialize(t.tip === undefined
    ? { ...common, gasPrice: amount(t.max_fee) }
    : { ...common, type: 2, maxFeePerGas: amount(t.max_fee), maxPriorityFeePerGas: amount(t.tip) }).slice(2)
}

const resolution = (token) => ({ domains: [], plugin: [], externalPlugin: [], nfts: [], erc20Tokens: token ? [token] : [] })

const ethereum = {
  version: (app) => app.getAppConfiguration(),
  address: (app, r) => app.getAddress(r.path, r.show, false, r.chain),
  sign: async (app, r) => {
    const raw = transaction(r.transaction)
    return { raw, ...await app.signTransaction(r.path, raw, resolution(r.token)) }
  },
  text: (app, r) => app.signPersonalMessage(r.path, hex(r.text)),
  typed: (app, r) => app.signEIP712HashedMessage(r.path, r.domain, r.message),
}

// Each request has a connection of its own.
async function run (port, requests) {
  for (const r of requests) {
    const transport = await Speculos.open({ apduPort: port })
    try {
      const [app, methods] = r.app === 'Cosmos' ? [new Cosmos(transport), cosmos] : [new Eth(transport, 'w0w', {}, ledgerService), ethereum]
      say({ name: r.name, result: await methods[r.method](app, r) })
    } catch (error) {
      say({ name: r.name, error: `${error.name}: ${error.message}` })
    } finally {
      await transport.close()
    }
  }
}

function frames (vectors) {
  for (const { channel, apdu } of vectors) {
    const frame = framing(channel, 64)
    const reports = frame.makeBlocks(bytes(apdu))
    let state
    for (const report of reports) state = frame.reduceResponse(state, Buffer.from(report))
    say({ channel, apdu, reports: reports.map(hex), back: hex(frame.getReducedResult(state)) })
  }
}

const [how, file, ...names] = process.argv.slice(2)
const input = JSON.parse(readFileSync(file, 'utf8'))
if (how === '--frames') frames(input)
else await run(Number(how), input.filter((r) => names.includes(r.name)))
say({ end: true })

// Both ends of WalletConnect sessions over its own client, and a relay. The tests of
// native/test/walletconnect start it. It ends when its standard input does.
//
//   node peer.mjs [--old] [--vectors]
//
// --old makes the relay one that knows no wc_ methods. --vectors prints what
// WalletConnect's own libraries make of fixed keys as {"vectors"}, and ends.
//
// Standard output has one JSON object a line: first {"relay", "control"}, two ports of
// 127.0.0.1, then {"event", "data"} for the clients' events. The control port takes
// {"do": …} by HTTP and answers with {"result"} or {"error"}; the functions in commands
// are what it can do.
import http from 'node:http'
import { parseArgs } from 'node:util'
import { SignClient } from '@walletconnect/sign-client'
import { Relay } from './relay.mjs'
import { Keys } from './wallet.mjs'
import { vectors } from './vectors.mjs'

const { values: options } = parseArgs({ options: { old: { type: 'boolean', default: false }, vectors: { type: 'boolean', default: false } } })

if (options.vectors) {
  process.stdout.write(JSON.stringify({ vectors: await vectors() }) + '\n')
  process.exit(0)
}

const say = (line) => process.stdout.write(JSON.stringify(line) + '\n')
const relay = new Relay(options.old)
await relay.listen()
const keys = await Keys.open()

// Errors that the clients only log, such as an answer without a caller.
process.on('unhandledRejection', (error) => say({ event: 'unhandled', data: { message: String(error?.message ?? error) } }))

const client = (name) => SignClient.init({
  relayUrl: `ws://127.0.0.1:${relay.port}`,
  projectId: '0'.repeat(32),
  metadata: { name, description: 'of the tests', url: 'https://peer.example', icons: [] },
  storageOptions: { database: ':memory:' },
  customStoragePrefix: name,
  telemetryEnabled: false,
  logger: 'silent'
})

let mode = 'sign' // how the wallet answers: sign, wrong, reject, silent, bytes

async function answer (wallet, { id, topic, params }) {
  const respond = (body) => wallet.respond({ topic, response: { id, jsonrpc: '2.0', ...body } })
  switch (mode) {
    case 'silent': return
    case 'reject': return respond({ error: { code: 5000, message: 'User rejected.' } })
    case 'reject-evm': return respond({ error: { code: 4001, message: 'User rejected the request.' } })
    default: return respond({ result: await keys.sign(params.chainId, params.request, mode === 'wrong') })
  }
}

const ends = {}

async function end (name) {
  if (ends[name]) return ends[name]
  const made = await client(name)
  ends[name] = made
  for (const event of ['session_proposal', 'session_delete', 'session_expire', 'session_ping', 'session_update', 'session_extend', 'session_event', 'proposal_expire']) {
    made.on(event, (data) => say({ event, data: { end: name, ...data } }))
  }
  made.on('session_request', (data) => {
    say({ event: 'session_request', data: { end: name, ...data } })
    if (name === 'wallet') answer(made, data).catch((error) => say({ event: 'unhandled', data: { message: error.message } }))
  })
  return made
}

const commands = {
  async pair ({ uri }) { await (await end('wallet')).pair({ uri }); return true },
  async approve ({ id, namespaces, chains }) {
    if (chains === null) for (const n of Object.values(namespaces)) n.chains = null
    const { topic } = await (await end('wallet')).approve({ id, namespaces })
    return topic
  },
  async reject ({ id, code, message }) { await (await end('wallet')).reject({ id, reason: { code, message } }); return true },
  async ping ({ by, topic }) { await (await end(by)).ping({ topic }); return true },
  async update ({ topic, namespaces }) { const { acknowledged } = await (await end('wallet')).update({ topic, namespaces }); await acknowledged(); return true },
  async extend ({ topic }) { const { acknowledged } = await (await end('wallet')).extend({ topic }); await acknowledged(); return (await end('wallet')).session.get(topic).expiry },
  async emit ({ topic, chainId, event }) { await (await end('wallet')).emit({ topic, chainId, event }); return true },
  async disconnect ({ by, topic }) { await (await end(by)).disconnect({ topic, reason: { code: 6000, message: 'User disconnected.' } }); return true },
  async sessions ({ by }) { return (await end(by)).session.getAll() },
  async connect ({ namespaces }) {
    const { uri, approval } = await (await end('app')).connect({ optionalNamespaces: namespaces })
    approval().then((session) => say({ event: 'approved', data: session }), (error) => say({ event: 'rejected', data: error }))
    return uri
  },
  async request ({ topic, chainId, method, params }) { return (await end('app')).request({ topic, chainId, request: { method, params } }) },
  async mode ({ mode: wanted }) { mode = wanted; return true },
  async network ({ url }) { keys.network = url; return true }, // where the wallet sends EVM transactions; before, it only signs them
  async down () { await relay.down(); return true },
  async up () { await relay.up(); return true },
  async seen () { return relay.seen },
  async account () { return { cosmos: keys.cosmos.account.address, iris: keys.iaa.account.address, evm: keys.evm.address } }
}

const control = http.createServer(async (req, res) => {
  let text = ''
  for await (const chunk of req) text += chunk
  let body
  try {
    const { do: name, ...parameters } = JSON.parse(text)
    body = { result: await commands[name](parameters) }
  } catch (error) {
    body = { error: { code: error.code, message: String(error.message ?? error) } }
  }
  res.end(JSON.stringify(body))
})
control.listen(0, '127.0.0.1', () => say({ relay: relay.port, control: control.address().port }))

process.stdin.resume()
process.stdin.on('end', () => process.exit(0))

// Trezor's client library against an emulator at a port of this machine, over UDP or over
// the requests of Bridge. Each request of a file becomes a line of JSON with what the
// library made of the device's answers.
import { createRequire } from 'node:module'
import dns from 'node:dns'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'

const require = createRequire(import.meta.url)
const { default: Connect, UI, UI_EVENT } = require('@trezor/connect')
const { BridgeTransport, UdpTransport } = require('@trezor/transport')
const types = require('@trezor/transport/lib/types')

process.stdin.resume().on('end', () => process.exit())

const say = (line) => process.stdout.write(JSON.stringify(line) + '\n')

const [how, port, file, ...names] = process.argv.slice(2)

// Nothing is fetched from the vendor's servers: descriptions of networks, firmware.
const { lookup } = dns
dns.lookup = (name, options, done) => isIP(name)
  ? lookup(name, options, done)
  : (done ?? options)(new Error(`${name}: not looked up`))

// The library looks for emulators at one port, and for Bridge at two.
types.PathInternal = () => `127.0.0.1:${port}`
class Bridge extends BridgeTransport {
  constructor (settings) { super({ ...settings, port: Number(port) }) }
}

await Connect.init({
  manifest: { appName: 'test', email: 'test@localhost', appUrl: 'http://localhost' },
  transports: [how === 'udp' ? UdpTransport : Bridge],
  debug: false,
})

let entered
Connect.on(UI_EVENT, ({ type }) => {
  if (type === UI.REQUEST_PIN) Connect.uiResponse({ type: UI.RECEIVE_PIN, payload: entered.pin })
  if (type === UI.REQUEST_PASSPHRASE) Connect.uiResponse({ type: UI.RECEIVE_PASSPHRASE, payload: { value: entered.passphrase, save: true } })
})

for (const { name, method, params, ...more } of JSON.parse(readFileSync(file, 'utf8')).filter((r) => names.includes(r.name))) {
  entered = more
  const { success, payload } = await Connect[method](params)
  say(success ? { name, result: payload } : { name, error: payload.error })
}
say({ end: true })

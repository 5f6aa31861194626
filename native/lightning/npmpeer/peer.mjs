// A peer that speaks BOLT 8 by @node-dlc/noise, and enough of BOLT 1 by hand to hold a
// connection. The tests of native/lightning start it. It ends when its standard input
// does.
//
//   node peer.mjs [--port N] [--secret HEX] [--features HEX] [--networks HEX] [--pings N] [--pong BYTES] [--say HEX,HEX…] [--hang-up]
//                 [--connect HOST:PORT --to PUBKEY]
//
// It listens on a port of 127.0.0.1, any free one unless it is named, or connects. After init it sends the messages of
// --say, then N pings, one after the pong of the other, each for BYTES bytes; with
// --hang-up it then ends the connection.
//
// Standard output has one JSON object a line: first {"port"} if it listens, {"ready":
// PUBKEY} for each handshake that is done, {"init": HEX} for what the other side said
// first, {"pongs": N} when all pings are answered, {"message": HEX} for any other
// message but pings, and {"closed": TEXT} for the end of a connection.
import { parseArgs } from 'node:util'
import noise from '@node-dlc/noise'

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    secret: { type: 'string', default: '21'.repeat(32) },
    features: { type: 'string', default: '20000000a282' },
    networks: { type: 'string', default: '' },
    pings: { type: 'string', default: '0' },
    pong: { type: 'string', default: '32' },
    say: { type: 'string', default: '' },
    'hang-up': { type: 'boolean', default: false },
    connect: { type: 'string' },
    to: { type: 'string', default: '' }
  }
})

const INIT = 16
const PING = 18
const PONG = 19

const say = (line) => process.stdout.write(JSON.stringify(line) + '\n')
const hex = (text) => Buffer.from(text, 'hex')

function u16 (...numbers) {
  const b = Buffer.alloc(2 * numbers.length)
  numbers.forEach((n, i) => b.writeUInt16BE(n, 2 * i))
  return b
}

function init () {
  const features = hex(options.features)
  const networks = hex(options.networks)
  const tlv = networks.length > 0 ? Buffer.concat([Buffer.of(1, networks.length), networks]) : Buffer.alloc(0)
  return Buffer.concat([u16(INIT, 0, features.length), features, tlv])
}

const ping = () => Buffer.concat([u16(PING, Number(options.pong), 4), Buffer.alloc(4)])

function serve (socket) {
  let pongs = 0
  socket.on('ready', () => {
    say({ ready: socket.rpk.toString('hex') })
    socket.write(init())
  })
  socket.on('data', (message) => {
    const type = message.readUInt16BE(0)
    switch (type) {
      case INIT:
        say({ init: message.toString('hex') })
        options.say.split(',').filter(Boolean).forEach((text) => socket.write(hex(text)))
        if (Number(options.pings) > 0) socket.write(ping())
        else if (options['hang-up']) socket.end()
        return
      case PING: {
        const bytes = message.readUInt16BE(2)
        if (bytes < 65532) socket.write(Buffer.concat([u16(PONG, bytes), Buffer.alloc(bytes)]))
        return
      }
      case PONG:
        if (message.length !== 4 + Number(options.pong)) socket.destroy(new Error(`a pong of ${message.length} bytes`))
        pongs++
        if (pongs < Number(options.pings)) {
          socket.write(ping())
          return
        }
        say({ pongs })
        if (options['hang-up']) socket.end()
        return
      default:
        say({ message: message.toString('hex') })
    }
  })
  socket.on('error', (error) => say({ error: error.message }))
  socket.on('close', () => say({ closed: 'closed' }))
}

if (options.connect) {
  const [host, port] = options.connect.split(':')
  serve(noise.connect({ ls: hex(options.secret), rpk: hex(options.to), host, port: Number(port) }))
} else {
  const server = noise.createServer({ ls: hex(options.secret) }, serve)
  server.on('listening', () => say({ port: server.address().port }))
  server.listen({ host: '127.0.0.1', port: Number(options.port) })
}

process.stdin.resume()
process.stdin.on('end', () => process.exit(0))

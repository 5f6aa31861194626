// A peer that speaks Komodo DeFi Framework's /request-response/2 over js-libp2p: TCP,
// Noise, Yamux. It answers version queries, and asks each peer that connects for the time as
// a seed node does: more than 20 s off, or no answer, and the connection is dropped.
// The tests of native/versionprobe start it. It ends when its standard input does.
//
//   node peer.mjs [--listen /ip4/127.0.0.1/tcp/0] [--version TEXT] [--mode MODE]
//
// MODE: answer (the version), none (no data), error (TEXT as an error), slow (never
// answers), garbage (a frame that is no answer), huge (announces a frame over the
// limit), close (ends the stream without an answer), without (does not know the protocol).
//
// Standard output has one JSON object a line: first {"peer_id","addresses"}, then
// {"time"} for each answer to the time query, {"asked"} for each version query (hex),
// and {"dropped"} for each connection that it gave up.
import { parseArgs } from 'node:util'

// Node 20 lacks it, and js-libp2p uses it.
Promise.withResolvers ??= function () {
  let resolve, reject
  const promise = new Promise((yes, no) => { resolve = yes; reject = no })
  return { promise, resolve, reject }
}

const { createLibp2p } = await import('libp2p')
const { tcp } = await import('@libp2p/tcp')
const { noise } = await import('@chainsafe/libp2p-noise')
const { yamux } = await import('@chainsafe/libp2p-yamux')
const { lpStream } = await import('@libp2p/utils')
const { encode, decode } = await import('@msgpack/msgpack')

const PROTOCOL = '/request-response/2'
const LIMIT = 1_048_476
const MAX_CLOCK_GAP = 20 // seconds
const REQUEST_TIMEOUT = 10_000 // milliseconds

const { values: options } = parseArgs({
  options: {
    listen: { type: 'string', default: '/ip4/127.0.0.1/tcp/0' },
    version: { type: 'string', default: '2.5.0-beta_npm' },
    mode: { type: 'string', default: 'answer' }
  }
})

const say = (line) => process.stdout.write(JSON.stringify(line) + '\n')
const framed = (stream) => lpStream(stream, { maxDataLength: LIMIT })

// Enums are maps of one entry, from the variant's number to its payload; the library
// writes no numbers as keys, so the first two bytes are written by hand.
const variant = (number, payload) => Uint8Array.of(0x81, number, ...encode(payload))
const request = (inner) => encode([Array.from(inner)])
const TIME_QUERY = Uint8Array.of(0x81, 0x01, 0x81, 0x01, 0xc0) // NetworkInfo(GetPeerUtcTimestamp)

function answer (asked) {
  switch (options.mode) {
    case 'none': return variant(1, null)
    case 'error': return variant(2, [options.version])
    case 'garbage': return Uint8Array.of(0xc1, 0xff, 0x00)
    default: break
  }
  const [bytes] = decode(asked)
  const query = decode(Uint8Array.from(bytes))
  if (query[1] === undefined) throw new Error('not a query about the network')
  const payload = 0 in query[1] ? options.version : Math.floor(Date.now() / 1000)
  return variant(0, [Array.from(encode(payload))])
}

async function serve (stream) {
  try {
    const asked = (await framed(stream).read()).subarray()
    say({ asked: Buffer.from(asked).toString('hex') })
    switch (options.mode) {
      case 'slow': return
      case 'huge': stream.send(Uint8Array.of(0xff, 0xff, 0xff, 0x7f)); return
      case 'close': await stream.close(); return
      default: await framed(stream).write(answer(asked))
    }
    await stream.close()
  } catch (err) {
    stream.abort(err)
  }
}

async function checkTime (connection) {
  try {
    const stream = await connection.newStream(PROTOCOL, { signal: AbortSignal.timeout(REQUEST_TIMEOUT) })
    const line = framed(stream)
    await line.write(request(TIME_QUERY))
    const reply = decode((await line.read({ signal: AbortSignal.timeout(REQUEST_TIMEOUT) })).subarray())
    const time = decode(Uint8Array.from(reply[0][0]))
    say({ time })
    if (Math.abs(Date.now() / 1000 - time) > MAX_CLOCK_GAP) throw new Error(`the clocks are too far apart: ${time}`)
  } catch (err) {
    say({ dropped: err.message })
    await connection.close()
  }
}

const node = await createLibp2p({
  addresses: { listen: [options.listen] },
  transports: [tcp()],
  connectionEncrypters: [noise()],
  streamMuxers: [yamux()],
  connectionManager: { inboundConnectionThreshold: Infinity } // of one host in a second
})
if (options.mode !== 'without') {
  await node.handle(PROTOCOL, serve)
  node.addEventListener('connection:open', (event) => { checkTime(event.detail) })
}
say({ peer_id: node.peerId.toString(), addresses: node.getMultiaddrs().map(String) })

process.stdin.resume()
process.stdin.on('end', () => process.exit(0))

// A relay on a port of 127.0.0.1, over ws. It checks its clients' tokens with WalletConnect's
// own library, stores unconfirmed messages, and sends a client nothing else.
import { WebSocketServer } from 'ws'
import { decodeJWT, verifyJWT } from '@walletconnect/relay-auth'

// PING is the time between pings, in milliseconds. A client of WalletConnect under Node closes a
// connection without one for 35 seconds.
const PING = 10_000

export class Relay {
  constructor (old) {
    this.old = old
    this.stored = [] // { id, topic, message, from }
    this.next = 0
    this.seen = {} // method → how often
    this.clients = [] // issuers of tokens
  }

  listen (port = 0) {
    this.server = new WebSocketServer({ host: '127.0.0.1', port, verifyClient: (info, done) => this.verify(info.req, done) })
    this.server.on('connection', (socket, req) => this.serve(socket, req))
    return new Promise((resolve) => this.server.on('listening', () => {
      this.port = this.server.address().port
      resolve(this.port)
    }))
  }

  async verify (req, done) {
    const query = new URL(req.url, 'http://relay').searchParams
    try {
      const valid = await verifyJWT(query.get('auth'))
      const { payload } = decodeJWT(query.get('auth'))
      const now = Date.now() / 1000
      req.client = payload.iss
      const ok = valid && payload.aud === `ws://127.0.0.1:${this.port}` && payload.exp > now && payload.iat <= now + 1 && query.get('projectId').length === 32
      done(ok, 401)
    } catch {
      done(false, 401)
    }
  }

  // down ends all connections and takes no more, up takes them again on the same port.
  down () {
    for (const socket of this.server.clients) socket.terminate()
    return new Promise((resolve) => this.server.close(resolve))
  }

  up () { return this.listen(this.port) }

  serve (socket, req) {
    socket.client = req.client
    socket.topics = new Set()
    this.clients.push(req.client)
    socket.on('message', (data) => this.take(socket, JSON.parse(data.toString())))
    socket.on('error', () => {})
    const beat = setInterval(() => socket.ping(), PING)
    socket.on('close', () => clearInterval(beat))
  }

  take (socket, frame) {
    if (!frame.method) { // a confirmation
      this.stored = this.stored.filter((m) => m.id !== frame.id || m.from === socket.client)
      return
    }
    this.seen[frame.method] = (this.seen[frame.method] ?? 0) + 1
    const p = frame.params
    const answer = (body) => socket.send(JSON.stringify({ id: frame.id, jsonrpc: '2.0', ...body }))
    if (this.old && frame.method.startsWith('wc_')) return answer({ error: { code: -32601, message: 'Method not found' } })
    switch (frame.method) {
      case 'irn_publish':
        answer({ result: true })
        return this.publish(socket, p.topic, p.message, p.tag)
      case 'wc_proposeSession':
        socket.topics.add(p.pairingTopic)
        answer({ result: true })
        return this.publish(socket, p.pairingTopic, p.sessionProposal, 1100)
      case 'wc_approveSession':
        socket.topics.add(p.pairingTopic).add(p.sessionTopic)
        answer({ result: true })
        this.publish(socket, p.pairingTopic, p.sessionProposalResponse, 1101)
        return this.publish(socket, p.sessionTopic, p.sessionSettlementRequest, 1102)
      case 'irn_subscribe':
        answer({ result: p.topic })
        return this.subscribe(socket, [p.topic])
      case 'irn_batchSubscribe':
        answer({ result: p.topics })
        return this.subscribe(socket, p.topics)
      case 'irn_unsubscribe':
        socket.topics.delete(p.topic)
        return answer({ result: true })
      case 'irn_batchUnsubscribe':
        p.subscriptions.forEach((s) => socket.topics.delete(s.topic))
        return answer({ result: true })
      case 'irn_fetchMessages':
      case 'irn_batchFetchMessages':
        return answer({ result: { messages: this.fetch(socket, p.topics ?? [p.topic]), hasMore: false } })
      default:
        answer({ error: { code: -32601, message: 'Method not found' } })
    }
  }

  publish (from, topic, message, tag) {
    const m = { id: Date.now() * 1000 + (this.next++ % 1000), topic, message, tag, publishedAt: Date.now(), from: from.client }
    this.stored.push(m)
    for (const socket of this.server.clients) {
      if (socket !== from && socket.topics?.has(topic)) this.push(socket, m)
    }
  }

  push (socket, { id, from, ...data }) {
    socket.send(JSON.stringify({ id, jsonrpc: '2.0', method: 'irn_subscription', params: { id: data.topic, data } }))
  }

  // Messages come after the answer, as those of the real relay do.
  subscribe (socket, topics) {
    topics.forEach((topic) => socket.topics.add(topic))
    this.stored.filter((m) => topics.includes(m.topic) && m.from !== socket.client).forEach((m) => this.push(socket, m))
  }

  fetch (socket, topics) {
    const mine = this.stored.filter((m) => topics.includes(m.topic) && m.from !== socket.client)
    this.stored = this.stored.filter((m) => !mine.includes(m))
    return mine.map(({ id, from, ...data }) => data)
  }
}

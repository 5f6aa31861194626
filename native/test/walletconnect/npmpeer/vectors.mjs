// What WalletConnect's own libraries make of fixed keys.
import crypto from 'node:crypto'
import * as relayAuth from '@walletconnect/relay-auth'
import { deriveSymKey, encrypt, formatUri, hashKey, hashMessage } from '@walletconnect/utils'

const hex = (bytes) => Buffer.from(bytes).toString('hex')
// A private key as PKCS #8 begins with these bytes.
const pkcs8 = (key) => Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), Buffer.from(key, 'hex')])
const publicOf = (key) => hex(crypto.createPublicKey(crypto.createPrivateKey({ key: pkcs8(key), format: 'der', type: 'pkcs8' })).export({ type: 'spki', format: 'der' }).subarray(-32))
const fixed = (n) => hex(new Uint8Array(32).map((_, i) => (i * 7 + n * 31) & 255))

export async function vectors () {
  const [a, b] = [fixed(1), fixed(2)]
  const [publicA, publicB] = [a, b].map(publicOf)
  const symKey = deriveSymKey(a, publicB)
  const messages = ['{"id":1,"jsonrpc":"2.0","result":true}', '', 'ünï€😀', 'x'.repeat(300)]
  const iv = '0102030405060708090a0b0c'
  const seed = new Uint8Array(Buffer.from(fixed(3), 'hex'))
  const pair = relayAuth.generateKeyPair(seed)
  const [subject, aud, iat, ttl] = [fixed(4), 'wss://relay.walletconnect.org', 1700000000, 86400]
  return {
    keys: [
      { private: a, public: publicA, other: publicB, shared: symKey, topic: hashKey(symKey) },
      { private: b, public: publicB, other: publicA, shared: deriveSymKey(b, publicA), topic: hashKey(symKey) }
    ],
    envelopes: messages.flatMap((message) => [
      { type: 0, key: symKey, iv, message, envelope: encrypt({ type: 0, symKey, message, iv }) },
      { type: 1, key: symKey, iv, message, sender: publicA, receiver: b, envelope: encrypt({ type: 1, symKey, message, iv, senderPublicKey: publicA }) }
    ]),
    pairings: [{
      key: fixed(5),
      expires: 1700000300,
      uri: formatUri({ protocol: 'wc', version: 2, topic: hashKey(fixed(5)), symKey: fixed(5), relay: { protocol: 'irn' }, expiryTimestamp: 1700000300 })
    }],
    tokens: [{
      seed: hex(seed), subject, url: aud, issued: iat, client: relayAuth.encodeIss(pair.publicKey), token: await relayAuth.signJWT(subject, aud, ttl, pair, iat)
    }],
    messages: messages.map((message) => ({ message, hash: hashMessage(message) }))
  }
}

// A wallet over WalletConnect's own client, with keys of CosmJS and viem.
import { Secp256k1HdWallet } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing'
import { createWalletClient, http, keccak256 } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

const base64 = (bytes) => Buffer.from(bytes).toString('base64')
const bytes = (text) => new Uint8Array(Buffer.from(text, 'base64'))

export class Keys {
  static async open () {
    const keys = new Keys()
    for (const prefix of ['cosmos', 'iaa']) {
      const direct = await DirectSecp256k1HdWallet.fromMnemonic(MNEMONIC, { prefix })
      const amino = await Secp256k1HdWallet.fromMnemonic(MNEMONIC, { prefix })
      keys[prefix] = { direct, amino, account: (await direct.getAccounts())[0] }
    }
    keys.evm = mnemonicToAccount(MNEMONIC)
    return keys
  }

  // sign answers a request: with what was asked for, or, to be found out, with a signature
  // of something else.
  async sign (chain, { method, params }, wrong) {
    const { direct, amino, account } = this[chain === 'cosmos:irishub-1' ? 'iaa' : 'cosmos']
    switch (method) {
      case 'cosmos_getAccounts':
        return [{ algo: account.algo, address: account.address, pubkey: base64(account.pubkey) }]
      case 'cosmos_signDirect': {
        const doc = params.signDoc
        const own = {
          bodyBytes: bytes(doc.bodyBytes), authInfoBytes: bytes(doc.authInfoBytes), chainId: doc.chainId, accountNumber: BigInt(doc.accountNumber) + (wrong ? 1n : 0n)
        }
        const { signature } = await direct.signDirect(params.signerAddress, own)
        return { signature, signed: doc }
      }
      case 'cosmos_signAmino': {
        const doc = params.signDoc
        const { signature } = await amino.signAmino(params.signerAddress, wrong ? { ...doc, memo: 'another' } : doc)
        return { signature, signed: doc }
      }
      case 'personal_sign':
        return this.evm.signMessage({ message: { raw: wrong ? '0x00' : params[0] } })
      case 'eth_sendTransaction': {
        const { to, data, gas, value, nonce, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = params[0]
        if (this.network) {
          const client = createWalletClient({ account: this.evm, transport: http(this.network) })
          return client.sendTransaction({ to, data, value: BigInt(value ?? 0), chain: null })
        }
        const price = maxFeePerGas
          ? { type: 'eip1559', maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) }
          : { type: 'legacy', gasPrice: BigInt(gasPrice ?? 1) }
        return keccak256(await this.evm.signTransaction({ to, data, gas: BigInt(gas ?? 21000), value: BigInt(value ?? 0), nonce: Number(nonce ?? 0), chainId: 1, ...price }))
      }
      default:
        throw new Error(`method ${method} is not known`)
    }
  }
}

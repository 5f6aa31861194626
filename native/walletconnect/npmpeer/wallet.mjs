// A wallet over WalletConnect's own client, with keys of CosmJS and viem.
import { Secp256k1HdWallet } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing'
import { keccak256 } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

const base64 = (bytes) => Buffer.from(bytes).toString('base64')
const bytes = (text) => new Uint8Array(Buffer.from(text, 'base64'))

export class Keys {
  static async open () {
    const keys = new Keys()
    keys.direct = await DirectSecp256k1HdWallet.fromMnemonic(MNEMONIC)
    keys.amino = await Secp256k1HdWallet.fromMnemonic(MNEMONIC)
    keys.evm = mnemonicToAccount(MNEMONIC)
    keys.account = (await keys.direct.getAccounts())[0]
    return keys
  }

  // sign answers a request: with what was asked for, or, to be found out, with a signature
  // of something else.
  async sign ({ method, params }, wrong) {
    switch (method) {
      case 'cosmos_getAccounts':
        return [{ algo: this.account.algo, address: this.account.address, pubkey: base64(this.account.pubkey) }]
      case 'cosmos_signDirect': {
        const doc = params.signDoc
        const own = {
          bodyBytes: bytes(doc.bodyBytes), authInfoBytes: bytes(doc.authInfoBytes), chainId: doc.chainId, accountNumber: BigInt(doc.accountNumber) + (wrong ? 1n : 0n)
        }
        const { signature } = await this.direct.signDirect(params.signerAddress, own)
        return { signature, signed: doc }
      }
      case 'cosmos_signAmino': {
        const doc = params.signDoc
        const { signature } = await this.amino.signAmino(params.signerAddress, wrong ? { ...doc, memo: 'another' } : doc)
        return { signature, signed: doc }
      }
      case 'personal_sign':
        return this.evm.signMessage({ message: { raw: wrong ? '0x00' : params[0] } })
      case 'eth_sendTransaction': {
        const { from, gas, value, nonce, gasPrice, ...rest } = params[0]
        return keccak256(await this.evm.signTransaction({ ...rest, gas: BigInt(gas ?? 21000), value: BigInt(value ?? 0), nonce: Number(nonce ?? 0), gasPrice: BigInt(gasPrice ?? 1), chainId: 1, type: 'legacy' }))
      }
      default:
        throw new Error(`method ${method} is not known`)
    }
  }
}

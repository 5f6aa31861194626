package trezor

// Kind is the number of a kind of messages: common/protob/messages.proto.
type Kind uint16

// Kinds of messages.
const (
	KindInitialize       Kind = 0
	KindPing             Kind = 1
	KindSuccess          Kind = 2
	KindFailure          Kind = 3
	KindGetPublicKey     Kind = 11
	KindPublicKey        Kind = 12
	KindFeatures         Kind = 17
	KindPinMatrixRequest Kind = 18
	KindPinMatrixAck     Kind = 19
	KindCancel           Kind = 20
	KindButtonRequest    Kind = 26
	KindButtonAck        Kind = 27
	KindPassphrase       Kind = 41 // PassphraseRequest
	KindPassphraseAck    Kind = 42
	KindGetFeatures      Kind = 55
	KindEndSession       Kind = 83

	KindEthereumAddressRequest   Kind = 56 // EthereumGetAddress
	KindEthereumAddress          Kind = 57
	KindEthereumSignTx           Kind = 58
	KindEthereumTxRequest        Kind = 59
	KindEthereumTxAck            Kind = 60
	KindEthereumSignMessage      Kind = 64
	KindEthereumMessageSignature Kind = 66
	KindEthereumKeyRequest       Kind = 450 // EthereumGetPublicKey
	KindEthereumKey              Kind = 451 // EthereumPublicKey
	KindEthereumSignTxEIP1559    Kind = 452
	KindEthereumTypedSignature   Kind = 469 // EthereumTypedDataSignature
	KindEthereumSignTypedHash    Kind = 470
)

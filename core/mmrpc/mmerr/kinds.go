// Package mmerr defines the errors of the node API: a table of kinds with their names, HTTP
// statuses and types of data, and an error type that carries them. It does not depend on the
// envelope or on methods. Domain packages do not use it: the areas of core/mmrpc convert their
// errors to kinds.
//
// Source: Komodo DeFi Framework, for names and statuses.
//
// Invariant: the data of an error has the type that its kind requires.
package mmerr

// Row describes a kind for documents.
type Row struct {
	Name   string // value of error_type
	Status int    // HTTP status
	Data   any    // zero value of the data's type; None{} if there is no data
	Doc    string // description of the condition
}

// Kinds of the envelope, before a method runs.
var (
	InvalidVersion  = kind[string]("InvalidMmRpcVersion", 400, "mmrpc is not 2.0")
	InvalidRequest  = kind[string]("InvalidRequest", 400, "the request, or a parameter in it, has not the form that the method takes")
	LocalHostOnly   = kind[None]("LocalHostOnly", 403, "the caller is not on this machine and rpc_local_only is set")
	Banned          = kind[None]("Banned", 403, "too many wrong passwords came from the caller's address; Retry-After says for how long")
	UserpassNotSet  = kind[None]("UserpassIsNotSet", 403, "the request has no userpass")
	UserpassInvalid = kind[Nested]("UserpassIsInvalid", 403, "the password is wrong; the data says how many attempts are left")
	NoSuchMethod    = kind[None]("NoSuchMethod", 400, "there is no such method")
	InternalError   = kind[string]("InternalError", 500, "the node failed; see its log")
	UnsupportedMode = kind[string]("UnsupportedMode", 405, "the method cannot work on this target")
)

// Kinds that concern coins in general, and swaps.
var (
	NoSuchCoin           = kind[Coin]("NoSuchCoin", 404, "the coin is not activated")
	NotSufficientBalance = kind[Shortage]("NotSufficientBalance", 400, "the balance is too low for what was asked")
	BaseCoinShortage     = kind[Shortage]("NotSufficientBaseCoinBalance", 400, "the balance of the coin that pays the fee is too low")
	ActiveSwaps          = kind[[]string]("ActiveSwaps", 409, "swaps in progress need the coin: their ids")
	UtxoNotSupported     = kind[string]("UtxoNotSupported", 501, "the node has no UTXO coins; the data is the method")
	SwapsNotSupported    = kind[string]("SwapsNotSupported", 501, "the node makes no orders and no swaps; the data is the method")
	Transport            = kind[string]("Transport", 500, "a remote could not be reached, or answered wrongly")
)

// Kinds of activation.
var (
	PlatformCoinIsNotActivated = kind[string]("PlatformCoinIsNotActivated", 400, "the platform of the token or NFT network is not activated")
	PlatformIsAlreadyActivated = kind[string]("PlatformIsAlreadyActivated", 400, "the platform coin is active")
	TokenIsAlreadyActivated    = kind[string]("TokenIsAlreadyActivated", 400, "the token or NFT network is active")
	PlatformConfigIsNotFound   = kind[string]("PlatformConfigIsNotFound", 400, "the coins file has no such platform coin")
	TokenConfigIsNotFound      = kind[string]("TokenConfigIsNotFound", 400, "the coins file has no such token")
	CoinProtocolParseError     = kind[Ticker]("CoinProtocolParseError", 500, "the platform coin's protocol in the coins file cannot be read")
	TokenProtocolParseError    = kind[Ticker]("TokenProtocolParseError", 500, "the token's protocol in the coins file cannot be read")
	UnexpectedPlatformProtocol = kind[TickerProtocol]("UnexpectedPlatformProtocol", 400, "the coin is not a platform of the method's kind")
	UnexpectedTokenProtocol    = kind[TickerProtocol]("UnexpectedTokenProtocol", 400, "the token does not belong to a platform of this kind")
	UnexpectedDerivationMethod = kind[string]("UnexpectedDerivationMethod", 500, "the key cannot be derived as the method needs it")
	PrivKeyNotAllowed          = kind[string]("PrivKeyNotAllowed", 500, "the policy of the private key is not one that this node has")
	PlatformCoinCreationError  = kind[Ticker]("PlatformCoinCreationError", 500, "the platform coin could not be activated")
	ActivationTransport        = kind[string]("Transport", 502, "no node of the coin answered")
	AtLeastOneNodeRequired     = kind[string]("AtLeastOneNodeRequired", 400, "the list of nodes is empty")
	InvalidPayload             = kind[string]("InvalidPayload", 400, "a parameter of the activation makes no sense")
	UnsupportedPlatformCoin    = kind[PlatformToken]("UnsupportedPlatformCoin", 500, "the token's platform is activated, and is no platform of the method's kind")
	CouldNotFetchBalance       = kind[string]("CouldNotFetchBalance", 500, "the token's balance could not be read from the nodes")
	NoTokenContract            = kind[string]("CouldNotFetchBalance", 400, "the token's address is not an ERC-20 contract")
)

// Kinds of tokens by their contracts.
var (
	CustomTokenError         = kind[Duplicate]("CustomTokenError", 400, "the coins file has the custom token's ticker or contract, or the contract is active by another ticker")
	UnsupportedTokenProtocol = kind[TokenProtocol]("UnsupportedTokenProtocol", 400, "the platform has no tokens with contracts")
	RetrieveInfoError        = kind[string]("RetrieveInfoError", 500, "the token cannot be read from its contract")
	NoContractInfo           = kind[string]("RetrieveInfoError", 400, "the address is not an ERC-20 contract")
	InvalidTokenProtocol     = kind[Ticker]("TokenProtocolParseError", 400, "the request's protocol of the token cannot be read")
	TokenCallNotSupported    = kind[Coin]("CoinNotSupported", 400, "the coin is no ERC-20 token")
	InvalidParam             = kind[string]("InvalidParam", 400, "a parameter makes no sense for the coin")
	TransactionError         = kind[string]("TransactionError", 500, "the transaction was not made or not sent")
	Web3RPCError             = kind[string]("Web3RpcError", 500, "the contract, or the nodes, did not answer as they should")
	ContractCallRefused      = kind[string]("Web3RpcError", 400, "the contract refuses the call")
	GasPolicyNotSupported    = kind[string]("NotSupported", 400, "the coin has no gas: its ticker")
)

// Kinds of sending NFTs.
var (
	CoinWithoutNFTs    = kind[Coin]("CoinDoesntSupportNftWithdraw", 400, "the chain's coin is not of an EVM network")
	NotNFTOwner        = kind[NFTOwner]("MyAddressNotNftOwner", 400, "the NFT belongs to another address")
	NotEnoughNFTAmount = kind[NFTShortage]("NotEnoughNftsAmount", 400, "the address has too few NFTs of the id")
)

// Kinds of raw transactions.
var (
	InvalidHash     = kind[string]("InvalidHashError", 400, "the hash is not 64 hexadecimal digits")
	HashNotExist    = kind[string]("HashNotExist", 400, "the coin's nodes do not have the transaction")
	NotImplemented  = kind[Coin]("NotImplemented", 501, "the coin has no such transactions")
	RawSigningError = kind[string]("SigningError", 500, "the wallet did not sign")
)

// Kinds of sending, and of signed messages.
var (
	PlatformShortage         = kind[Shortage]("NotSufficientPlatformBalanceForFee", 400, "the balance of the coin that pays the fee is too low")
	ZeroBalanceToWithdrawMax = kind[None]("ZeroBalanceToWithdrawMax", 400, "there is nothing of which to send everything")
	BroadcastExpected        = kind[string]("BroadcastExpected", 400, "the coin's wallet sends what it signs, and broadcast is not set")
	AmountTooLow             = kind[Threshold]("AmountTooLow", 400, "the amount is less than can be sent")
	InvalidFeePolicy         = kind[string]("InvalidFeePolicy", 400, "the fee is not of a kind that the coin takes, or too low")
	InvalidFee               = kind[Fee]("InvalidFee", 400, "the chosen price of gas is below the network's base fee")
	InvalidMemo              = kind[string]("InvalidMemo", 400, "the chain does not take the memo")
	UnexpectedFromAddress    = kind[string]("UnexpectedFromAddress", 400, "from is not an address of the coin's")
	IBCError                 = kind[IBC]("IBCError", 400, "the IBC channel to the address's chain is not known, closed or expired")
	SigningError             = kind[string]("SigningError", 400, "the wallet did not sign, or not what it was asked to")
	TransactionRefused       = kind[Refusal]("TransactionRefused", 400, "the chain does not take the transaction, or it failed in its block")
	SignatureDecodingError   = kind[string]("SignatureDecodingError", 400, "the signature is not valid")
	AddressDecodingError     = kind[string]("AddressDecodingError", 400, "not an address of the coin")
)

// Kinds of wallets outside the node, such as a browser's.
var (
	WalletNotFound   = kind[string]("WalletNotFound", 404, "the page has no such wallet, or the node no such session with one")
	WalletRefused    = kind[string]("WalletRefused", 400, "the wallet's user said no, or did not allow the method in the session")
	WalletTimeout    = kind[string]("WalletTimeout", 408, "the wallet's user, or the relay to the wallet, did not answer in time")
	WalletWrongChain = kind[string]("WalletWrongChain", 400, "the wallet has no account on the coin's chain")
	WalletSwitched   = kind[string]("WalletSwitched", 409, "the wallet has switched to another account than that of the coin, which has to be activated again")
	WalletGone       = kind[string]("WalletGone", 410, "the page with the wallet was closed, the call came from none, or the session with the wallet ended meanwhile")
	WalletFailed     = kind[string]("WalletFailed", 502, "the wallet failed, or answered what makes no sense")
)

// Kinds of sessions with wallets.
var (
	InitializationError = kind[string]("InitializationError", 400, "no session can be proposed: the node has no project id, or the relay does not answer")
	SessionRequestError = kind[string]("SessionRequestError", 500, "there is no such session, or its wallet did not answer")
)

// Kinds of hardware wallets.
var (
	HwError   = kind[Nested]("HwError", 410, "the hardware wallet failed or refused; nested: the reason, and what its user can do")
	HwTimeout = kind[string]("Timeout", 408, "the hardware wallet, or its user, did not answer in time")

	HwContextInitializingAlready = kind[None]("HwContextInitializingAlready", 400, "another task connects to the hardware wallet")
	UnexpectedUserAction         = kind[Expected]("UnexpectedUserAction", 400, "the task asked its user for something else: what")
	TrezorNotInitialized         = kind[None]("TrezorNotInitialized", 400, "no Trezor was connected since the node was started")
	FoundUnexpectedDevice        = kind[None]("FoundUnexpectedDevice", 500, "another Trezor, or another of its wallets, was connected")
)

// Kinds for methods that return private keys.
var (
	CoinConfigNotFound       = kind[string]("CoinConfigNotFound", 400, "the coins file has no such coin")
	InvalidHDRange           = kind[HDRange]("InvalidHdRange", 400, "end_index is below start_index, or too large")
	HDRangeTooLarge          = kind[None]("HdRangeTooLarge", 400, "more than 100 addresses")
	InvalidParametersForMode = kind[string]("InvalidParametersForMode", 400, "the parameters are of another mode than the node's")
	ProtocolParseError       = kind[Ticker]("ProtocolParseError", 400, "keys of such coins are not shown, or the coin's entry is broken")
	KeyDerivationFailed      = kind[string]("KeyDerivationFailed", 500, "there is no key at the path, or the node has no passphrase")
)

// Kinds of accounts of HD wallets. Komodo DeFi Framework uses a different status for an
// inactive coin.
var (
	NoSuchHDCoin                   = kind[Coin]("NoSuchCoin", 400, "the coin is not activated")
	CoinIsActivatedNotWithHDWallet = kind[None]("CoinIsActivatedNotWithHDWallet", 400, "the coin has one address: the node was started without enable_hd, or the key is in a wallet or a device")
	UnknownAccount                 = kind[Account]("UnknownAccount", 400, "the account was not created")
	ErrorDerivingAddress           = kind[string]("ErrorDerivingAddress", 400, "there is no address at the path")
	EmptyAddressesLimitReached     = kind[GapLimit]("EmptyAddressesLimitReached", 400, "as many of the last addresses as the gap limit are unused")
	AddressLimitReached            = kind[AddressLimit]("AddressLimitReached", 400, "the account has as many addresses as it can have")
	AccountLimitReached            = kind[AccountLimit]("AccountLimitReached", 400, "the coin has as many accounts as it can have")
	WalletStorageError             = kind[string]("WalletStorageError", 500, "the known accounts cannot be read or written")
)

// Kinds of wallets stored by name.
var (
	InvalidPassword         = kind[string]("InvalidPassword", 400, "the wallet's password is another one, or its file was altered")
	PasswordPolicyViolation = kind[string]("PasswordPolicyViolation", 400, "the new password is too weak")
	WalletsStorageError     = kind[string]("WalletsStorageError", 500, "the wallet files cannot be read or written; the node's log has the cause")
	Internal                = kind[string]("Internal", 500, "there is no open wallet, or the nodes of the coin gave no answer; the data says which")
)

// Kinds of histories.
var (
	CoinIsNotActive         = kind[string]("CoinIsNotActive", 404, "the coin is not activated: its ticker")
	InvalidTarget           = kind[string]("InvalidTarget", 400, "the coin has no such set of addresses")
	NotSupportedFor         = kind[string]("NotSupportedFor", 400, "the coin has no history: its ticker")
	StorageIsNotInitialized = kind[string]("StorageIsNotInitialized", 500, "the coin was activated without tx_history")
	StorageError            = kind[string]("StorageError", 500, "the stored history cannot be read")
	RPCError                = kind[string]("RpcError", 500, "no node of the coin reports the current block")
)

// Kinds of version statistics.
var (
	DatabaseError     = kind[string]("DatabaseError", 500, "a name or a peer id is in the list already, or the store refuses")
	PeerIDParseError  = kind[[2]string]("PeerIdParseError", 400, "the peer id cannot be decoded: the id and the reason")
	InvalidAddress    = kind[string]("InvalidAddress", 400, "invalid address: of a peer, neither an IP address nor a domain name; of a coin, not one that it can be sent to")
	NotRunning        = kind[None]("NotRunning", 405, "version statistics are not being collected")
	AlreadyRunning    = kind[None]("AlreadyRunning", 405, "version statistics are being collected")
	CurrentlyStopping = kind[None]("CurrentlyStopping", 405, "the collection of version statistics is about to end")
)

// Kinds of event streams.
var (
	EnableError  = kind[string]("EnableError", 400, "UnknownClient, ClientAlreadyListening, or what is wrong with the config")
	DisableError = kind[string]("DisableError", 400, "UnknownClient or StreamerNotFound")

	CoinNotFound     = kind[None]("CoinNotFound", 404, "the coin is not activated")
	CoinNotSupported = kind[None]("CoinNotSupported", 501, "the coin has no such stream")
)

// Kinds of Lightning.
var (
	ConnectionError      = kind[string]("ConnectionError", 500, "the Lightning node could not be reached")
	UnsupportedCoin      = kind[string]("UnsupportedCoin", 400, "the coin is no Lightning coin: its ticker")
	NotConnected         = kind[string]("NotConnected", 400, "there is no connection to the Lightning node: its id")
	IOError              = kind[string]("IOError", 500, "the store refuses, or a port cannot be listened on")
	L2IsAlreadyActivated = kind[string]("L2IsAlreadyActivated", 400, "the Lightning coin is active")
	L2ConfigIsNotFound   = kind[string]("L2ConfigIsNotFound", 400, "the coins file has no such Lightning coin")
	L2ProtocolParseError = kind[Ticker]("L2ProtocolParseError", 500, "the Lightning coin's protocol in the coins file cannot be read")
	UnexpectedL2Protocol = kind[TickerProtocol]("UnexpectedL2Protocol", 400, "the coin is no Lightning coin")
)

// Kinds of staking.
var (
	CoinDoesntSupportDelegation = kind[Coin]("CoinDoesntSupportDelegation", 400, "the coin is not staked with validators")
	CanNotUndelegate            = kind[Stake]("CanNotUndelegate", 400, "the address has staked nothing with the validator")
	TooMuchToUndelegate         = kind[TooMuch]("TooMuchToUndelegate", 400, "less is staked with the validator than is asked back")
	UnprofitableReward          = kind[Unprofitable]("UnprofitableReward", 400, "the reward is not above the fee of claiming it; force claims it anyway")
	StakingPayload              = kind[Reason]("InvalidPayload", 400, "a parameter of staking makes no sense")
	NothingToClaim              = kind[Coin]("NothingToClaim", 400, "the validator owes no reward")
)

// NameNotFound reports that a recipient's name cannot be resolved.
var NameNotFound = kind[string]("NameNotFound", 404, "the name stands for no address of the coin")

// Kinds of tasks.
var (
	NoSuchTask     = kind[uint64]("NoSuchTask", 400, "there is no such task of this method, or it was forgotten: its number")
	NoTaskToCancel = kind[uint64]("NoSuchTask", 404, "there is no such task to cancel, or it was forgotten: its number")
	TaskFinished   = kind[uint64]("TaskFinished", 409, "the task has ended: its number")
	TaskTimedOut   = kind[TaskLimit]("TaskTimedOut", 408, "the task timed out")
)

// Kinds of NFTs.
var (
	GetNftInfoError         = kind[Nested]("GetNftInfoError", 500, "the NFT could not be looked up; nested")
	TokenNotFoundInWallet   = kind[NFT]("TokenNotFoundInWallet", 500, "the NFT is not in the wallet")
	UpdateSpamPhishingError = kind[Nested]("UpdateSpamPhishingError", 500, "the service against spam did not scan contracts or domains; nested")
	DbError                 = kind[string]("DbError", 500, "what is kept of NFTs cannot be read or changed")
	NftHasNoImage           = kind[NFT]("NftHasNoImage", 404, "the NFT has no known picture, or one of an unsupported kind")
	NftMayBeSpam            = kind[NFT]("NftMayBeSpam", 400, "the NFT may be spam, so that its picture is not fetched")
)

func kind[D any](name string, status int, doc string) Kind[D] {
	var zero D
	return Kind[D]{&Row{Name: name, Status: status, Data: zero, Doc: doc}}
}

// Rows returns the rows of all kinds in the order above.
func Rows() []Row {
	var rows []Row
	for _, k := range []interface{ Row() Row }{
		InvalidVersion, InvalidRequest, LocalHostOnly, Banned, UserpassNotSet, UserpassInvalid, NoSuchMethod, InternalError, UnsupportedMode,
		NoSuchCoin, NotSufficientBalance, BaseCoinShortage, ActiveSwaps, SwapsNotSupported, UtxoNotSupported, Transport,
		PlatformCoinIsNotActivated, PlatformIsAlreadyActivated, TokenIsAlreadyActivated, PlatformConfigIsNotFound,
		TokenConfigIsNotFound, CoinProtocolParseError, TokenProtocolParseError, UnexpectedPlatformProtocol,
		UnexpectedTokenProtocol, UnexpectedDerivationMethod, PrivKeyNotAllowed, PlatformCoinCreationError, ActivationTransport,
		AtLeastOneNodeRequired, InvalidPayload, UnsupportedPlatformCoin, CouldNotFetchBalance, NoTokenContract,
		CustomTokenError, UnsupportedTokenProtocol, RetrieveInfoError, NoContractInfo, InvalidTokenProtocol, TokenCallNotSupported, InvalidParam, TransactionError, Web3RPCError, ContractCallRefused, GasPolicyNotSupported,
		CoinWithoutNFTs, NotNFTOwner, NotEnoughNFTAmount,
		InvalidHash, HashNotExist, NotImplemented, RawSigningError,
		PlatformShortage, ZeroBalanceToWithdrawMax, BroadcastExpected, AmountTooLow, InvalidFeePolicy, InvalidFee, InvalidMemo, UnexpectedFromAddress, IBCError,
		SigningError, TransactionRefused, SignatureDecodingError, AddressDecodingError,
		WalletNotFound, WalletRefused, WalletTimeout, WalletWrongChain, WalletSwitched, WalletGone, WalletFailed,
		HwError, HwTimeout, HwContextInitializingAlready, UnexpectedUserAction, TrezorNotInitialized, FoundUnexpectedDevice, InitializationError, SessionRequestError,
		CoinConfigNotFound, InvalidHDRange, HDRangeTooLarge, InvalidParametersForMode, ProtocolParseError, KeyDerivationFailed,
		NoSuchHDCoin, CoinIsActivatedNotWithHDWallet, UnknownAccount, ErrorDerivingAddress, EmptyAddressesLimitReached, AddressLimitReached, AccountLimitReached, WalletStorageError,
		InvalidPassword, PasswordPolicyViolation, WalletsStorageError, Internal,
		CoinIsNotActive, InvalidTarget, NotSupportedFor, StorageIsNotInitialized, StorageError, RPCError,
		DatabaseError, PeerIDParseError, InvalidAddress, NotRunning, AlreadyRunning, CurrentlyStopping,
		EnableError, DisableError, CoinNotFound, CoinNotSupported,
		ConnectionError, UnsupportedCoin, NotConnected, IOError, L2IsAlreadyActivated, L2ConfigIsNotFound, L2ProtocolParseError, UnexpectedL2Protocol,
		CoinDoesntSupportDelegation, CanNotUndelegate, TooMuchToUndelegate, UnprofitableReward, StakingPayload, NothingToClaim,
		NameNotFound,
		NoSuchTask, NoTaskToCancel, TaskFinished, TaskTimedOut,
		GetNftInfoError, TokenNotFoundInWallet, UpdateSpamPhishingError, DbError, NftHasNoImage, NftMayBeSpam,
	} {
		rows = append(rows, k.Row())
	}
	return rows
}

// Row returns the description of the kind.
func (k Kind[D]) Row() Row { return *k.row }

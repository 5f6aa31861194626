package daemon

import "strings"

// absent lists the methods of komodod [rpc/server.cpp] that this node does not have, and what a
// client can do instead. A name that ends in * stands for all methods that begin so.
var absent = []struct{ methods, instead string }{
	{"getnewaddress getaccountaddress getrawchangeaddress keypoolrefill getaccount setaccount getaddressesbyaccount listaccounts " +
		"listaddressgroupings getwalletinfo setpubkey importprivkey importaddress importwallet addmultisigaddress createmultisig convertpassphrase",
		"the node has one key: tokenaddress shows its address, getinfo its public key"},
	{"dumpwallet", "the node has one key: dumpprivkey exports it"},
	{"backupwallet", "`obverse store backup` copies the store; copy obverse.json and the wallet files too"},
	{"encryptwallet walletpassphrase walletpassphrasechange walletlock",
		"the key is encrypted in a named wallet, whose password change_mnemonic_password of the node API changes"},
	{"sendmany sendfrom", "sendtoaddress pays one address"},
	{"createrawtransaction fundrawtransaction signrawtransaction", "sendtoaddress, tokencreate and tokentransfer build and sign transactions"},
	{"settxfee", "fees cannot be set: sendtoaddress and the token methods choose them"},
	{"estimatefee estimatepriority", "relayfee of getinfo is the lowest fee for 1000 bytes"},
	{"gettransaction", "getrawtransaction with verbose 1 shows any transaction"},
	{"listtransactions listsinceblock getreceivedbyaddress listreceivedbyaddress getreceivedbyaccount listreceivedbyaccount",
		"getaddresstxids lists the transactions of an address, getaddressdeltas what they changed"},
	{"getunconfirmedbalance getbalance64", "getbalance shows the balance of the node's key"},
	{"lockunspent listlockunspent", "coins cannot be locked: listunspent lists those of the node's key"},
	{"signmessage verifymessage", "sign_message and verify_message of the node API sign and verify for its coins"},
	{"getpeerinfo addnode disconnectnode getaddednodeinfo getconnectioncount getnettotals ping setban listbanned clearbanned",
		"the node has no peers of komodod's network"},
	{"getblocktemplate getgenerate setgenerate getlocalsolps getnetworksolps getnetworkhashps prioritisetransaction genminingCSV",
		"the node makes blocks itself when transactions wait: getmininginfo describes them"},
	{"getblocksubsidy", "getinfo shows the rewards of the chain"},
	{"getdifficulty", "getinfo shows the difficulty"},
	{"gettxoutproof verifytxoutproof", "on a chain of several validators tokenbalance and tokeninfo answer with proofs"},
	{"verifychain", "`obverse store check` checks the store"},
	{"getblockdeltas", "getblock with verbosity 2 shows the transactions of a block"},
	{"getblockhashes", "getblockhash shows the hash of one height, getblock the time of a block"},
	{"getspentinfo", "getrawtransaction with verbose 1 shows what spent each output"},
	{"getaddressmempool", "getrawmempool lists the waiting transactions"},
	{"gettxoutsetinfo coinsupply getsnapshot", "the node does not add up all balances: getaddressbalance shows those of an address"},
	{"tokenask tokenbid tokencancel* tokenfill* tokenswapask tokenorders mytokenorders assetsaddress",
		"there are no orders for tokens: tokentransfer sends tokens"},
	{"tokentransfermany tokenconvert tokenv2*", "tokentransfer sends tokens to one public key"},
	{"auction* lotto* FSM* rewards* faucet* heir* channels* oracles* prices* mypriceslist pegs* marmara* payments* cclib* gateways* dice* kogs*",
		"of komodod's modules the node has tokens only"},
	{"z_* zc*", "the node has no shielded addresses and makes no shielded transactions"},
	{"nspv_*", "the node does not serve nSPV"},
	{"notaries minerids MoMoMdata calc_MoM height_MoM assetchainproof crosschainproof getNotarisationsForBlock scanNotarisationsDB " +
		"txnotarizedconfirmed checknotarization getnotarypayinfo", "the chain is not notarised"},
	{"migrate_* selfimport importdual importgateway* getimports getwalletburntransactions", "coins are not moved between chains"},
	{"getlastsegidstakes setstakingsplit", "the chain has no staking"},
}

// Absent reports what a client can do instead of calling a method that komodod has and this node
// has not.
func Absent(method string) (instead string, known bool) {
	for _, a := range absent {
		for name := range strings.FieldsSeq(a.methods) {
			prefix, all := strings.CutSuffix(name, "*")
			if name == method || all && strings.HasPrefix(method, prefix) {
				return a.instead, true
			}
		}
	}
	return "", false
}

// noMethod returns the error for a method that this node does not have.
func noMethod(method string) *Error {
	if instead, known := Absent(method); known {
		return &Error{CodeNoMethod, ErrNoMethod.Message + ": " + instead}
	}
	return ErrNoMethod
}

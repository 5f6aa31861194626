package daemon

import (
	"errors"
	"strconv"
	"strings"

	"obverse/core/rpc"
)

// Error codes (komodod rpc/protocol.h).
const (
	CodeMisc      = -1 // an exception in a method, or a wrong number of parameters
	CodeType      = -3
	CodeWallet    = -4
	CodeAddress   = -5 // an invalid address or key, or an unknown transaction or block
	CodeFunds     = -6
	CodeParameter = -8
	CodeKeyPool   = -12 // no address is left
	CodeLocked    = -13 // the wallet is locked
	CodePlain     = -15 // the wallet is not encrypted
	CodeEncrypt   = -16 // the wallet cannot be encrypted
	CodeDatabase  = -20
	CodeDecode    = -22
	CodeVerify    = -25
	CodeRejected  = -26
	CodeInChain   = -27
	CodeWarmUp    = -28 // the node is starting
	CodeRequest   = -32600
	CodeNoMethod  = -32601
	CodeInternal  = -32603
	CodeParse     = -32700
	CodeBusy      = -32000 // not in komodod: the node is at a limit or closing; the client should retry later
)

// HTTP statuses of replies (komodod httprpc.cpp).
const (
	StatusOK           = 200
	StatusBadRequest   = 400
	StatusUnauthorized = 401
	StatusNotFound     = 404
	StatusError        = 500
)

// Error is an error of the daemon API in the form that clients receive.
type Error struct {
	Code    int
	Message string
}

func (e *Error) Error() string { return strconv.Itoa(e.Code) + ": " + e.Message }

// Errors of the envelope, with komodod's texts.
var (
	ErrParse          = &Error{CodeParse, "Parse error"}
	ErrTopLevel       = &Error{CodeParse, "Top-level object parse error"}
	ErrRequestObject  = &Error{CodeRequest, "Invalid Request object"}
	ErrTooManyMembers = &Error{CodeRequest, "Invalid Request object: more than 1024 members"}
	ErrMethodMissing  = &Error{CodeRequest, "Missing method"}
	ErrMethodType     = &Error{CodeRequest, "Method must be a string"}
	ErrParamsType     = &Error{CodeRequest, "Params must be an array"}
	ErrNoMethod       = &Error{CodeNoMethod, "Method not found"}
	ErrInternal       = &Error{CodeInternal, "internal error, see the node's log"}
	ErrBatchReply     = &Error{CodeBusy, "not called: the answers to this batch are too large already, send this request in another batch"}
)

// status returns the HTTP status of a single reply.
func (e *Error) status() int {
	switch {
	case e == nil:
		return StatusOK
	case e.Code == CodeRequest:
		return StatusBadRequest
	case e.Code == CodeNoMethod:
		return StatusNotFound
	}
	return StatusError
}

// wireError converts an error of a method to the code and text for the client. Unknown errors
// become komodod's exception: code -1 with the error's text.
func wireError(m rpc.Method, err error) *Error {
	if err == nil {
		return nil
	}
	if known := (*Error)(nil); errors.As(err, &known) {
		return known
	}
	var param *rpc.ParamError
	switch {
	case errors.Is(err, rpc.ErrCount):
		return &Error{CodeMisc, m.Help()}
	case errors.As(err, &param) && errors.Is(err, rpc.ErrType):
		return &Error{CodeType, param.Error()}
	case errors.Is(err, rpc.ErrUnknown) && param != nil:
		return &Error{CodeParameter, param.Error() + ", want " + strings.Join(param.Allowed, " or ")}
	case param != nil:
		return &Error{CodeParameter, param.Error()}
	}
	return &Error{CodeMisc, err.Error()}
}

// absent lists the methods of komodod (rpc/server.cpp) that this node does not have, and the
// alternatives for clients. A name with the suffix * represents all methods with that prefix.
var absent = []struct{ methods, instead string }{
	{"dumpwallet importwallet backupwallet", "`obverse store backup` copies the store with the wallet's keys; dumpprivkey shows one"},
	{"estimatefee estimatepriority", "relayfee of getinfo is the lowest fee for 1000 bytes"},
	{"resendwallettransactions", "the node keeps its transactions until a block has them: sendrawtransaction sends one again"},
	{"getchaintxstats getdeprecationinfo", "getblockchaininfo and getinfo describe chain and node"},
	{"getbalance64", "getbalance shows the balance of the wallet"},
	{"move", "accounts have what was paid to their addresses, less what they paid"},
	{"getpeerinfo addnode disconnectnode getaddednodeinfo getconnectioncount getnettotals ping setban listbanned clearbanned",
		"the node has no peers of komodod's network"},
	{"getblocktemplate getgenerate setgenerate getlocalsolps getnetworksolps getnetworkhashps prioritisetransaction genminingCSV",
		"the node makes blocks itself when transactions wait: getmininginfo describes them"},
	{"getblocksubsidy", "getinfo shows the rewards of the chain"},
	{"getdifficulty", "getinfo shows the difficulty"},
	{"verifychain", "`obverse store check` checks the store"},
	{"getblockdeltas", "getblock with verbosity 2 shows the transactions of a block"},
	{"getblockhashes", "getblockhash shows the hash of one height, getblock the time of a block"},
	{"getspentinfo", "getrawtransaction with verbose 1 shows what spent each output"},
	{"getaddressmempool", "getrawmempool lists the waiting transactions"},
	{"gettxoutsetinfo coinsupply getsnapshot", "the node does not add up all balances: getaddressbalance shows those of an address"},
	{"tokenask tokenbid tokencancel* tokenfill* tokenswapask tokenorders mytokenorders assetsaddress",
		"there are no orders for tokens: tokentransfer sends tokens"},
	{"tokentransfermany tokenconvert tokenv2*", "tokensendmany sends tokens to many public keys, tokentransfer to one"},
	{"auction* lotto* FSM* rewards* faucet* heir* channels* oracles* prices* mypriceslist pegs* marmara* payments* cclib* gateways* dice* kogs*",
		"of komodod's modules the node has tokens only"},
	{"z_* zc*", "the node has no shielded addresses and makes no shielded transactions"},
	{"nspv_*", "the node does not serve nSPV"},
	{"notaries minerids MoMoMdata calc_MoM height_MoM assetchainproof crosschainproof getNotarisationsForBlock scanNotarisationsDB " +
		"txnotarizedconfirmed checknotarization getnotarypayinfo", "the chain is not notarised"},
	{"migrate_* selfimport importdual importgateway* getimports getwalletburntransactions", "coins are not moved between chains"},
	{"getlastsegidstakes setstakingsplit", "the chain has no staking"},
}

// Absent returns the alternative to a method that komodod has and this node does not.
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

// refusal is a method's error for which komodod returns a result: status 200 with
// {"result":"error","error":"…"}. The token methods return one for all errors that are not
// caused by an invalid request.
type refusal string

func (r refusal) Error() string { return string(r) }

// hinted is a refusal with komodod's text and a hint that explains it to users.
type hinted struct {
	refusal
	hint string
}

func (h hinted) Unwrap() error { return h.refusal }

type refusedResult struct {
	Result string `json:"result"`
	Error  string `json:"error"`
	Hint   string `json:"hint,omitempty"` // not in komodod; only for requests that ask for hints
}

// refusedBy returns the result for a call that failed with a refusal.
func refusedBy(err error, hints bool) (result refusedResult, refused bool) {
	var reason refusal
	if !errors.As(err, &reason) {
		return refusedResult{}, false
	}
	var with hinted
	if hints {
		errors.As(err, &with)
	}
	return refusedResult{"error", string(reason), with.hint}, true
}

package script

// Kind is the reason why a script failed. Its error text is komodod's
// (script/script_error.cpp), so that messages built from it are equal to komodod's.
type Kind uint8

// Kinds of errors, in the order of komodod's enumeration.
const (
	ErrUnknown Kind = iota // komodod caught an exception, because a number is too long or not minimal
	ErrEvalFalse
	ErrOpReturn
	ErrScriptSize
	ErrPushSize
	ErrOpCount
	ErrStackSize
	ErrSigCount
	ErrPubKeyCount
	ErrVerify
	ErrEqualVerify
	ErrCheckMultiSigVerify
	ErrCheckSigVerify
	ErrNumEqualVerify
	ErrConditionVerify
	ErrBadOpcode
	ErrDisabledOpcode
	ErrInvalidStack
	ErrInvalidAltStack
	ErrUnbalancedConditional
	ErrNegativeLockTime
	ErrUnsatisfiedLockTime
	ErrSigHashType
	ErrSigDER
	ErrMinimalData
	ErrSigPushOnly
	ErrSigHighS
	ErrSigNullDummy
	ErrPubKeyType
	ErrCleanStack
	ErrDiscourageNops
	ErrFulfillment
)

// kindTexts has no entries for the kinds that komodod reports as "unknown error": komodod sets
// no reason for a high S, and has no text for an unclean stack.
var kindTexts = [...]string{
	ErrEvalFalse:             "Script evaluated without error but finished with a false/empty top stack element",
	ErrOpReturn:              "OP_RETURN was encountered",
	ErrScriptSize:            "Script is too big",
	ErrPushSize:              "Push value size limit exceeded",
	ErrOpCount:               "Operation limit exceeded",
	ErrStackSize:             "Stack size limit exceeded",
	ErrSigCount:              "Signature count negative or greater than pubkey count",
	ErrPubKeyCount:           "Pubkey count negative or limit exceeded",
	ErrVerify:                "Script failed an OP_VERIFY operation",
	ErrEqualVerify:           "Script failed an OP_EQUALVERIFY operation",
	ErrCheckMultiSigVerify:   "Script failed an OP_CHECKMULTISIGVERIFY operation",
	ErrCheckSigVerify:        "Script failed an OP_CHECKSIGVERIFY operation",
	ErrNumEqualVerify:        "Script failed an OP_NUMEQUALVERIFY operation",
	ErrConditionVerify:       "Script failed an OP_CHECKCRYPTOCONDITIONVERIFY operation",
	ErrBadOpcode:             "Opcode missing or not understood",
	ErrDisabledOpcode:        "Attempted to use a disabled opcode",
	ErrInvalidStack:          "Operation not valid with the current stack size",
	ErrInvalidAltStack:       "Operation not valid with the current altstack size",
	ErrUnbalancedConditional: "Invalid OP_IF construction",
	ErrNegativeLockTime:      "Negative locktime",
	ErrUnsatisfiedLockTime:   "Locktime requirement not satisfied",
	ErrSigHashType:           "Signature hash type missing or not understood",
	ErrSigDER:                "Non-canonical DER signature",
	ErrMinimalData:           "Data push larger than necessary",
	ErrSigPushOnly:           "Only non-push operators allowed in signatures",
	ErrSigNullDummy:          "Dummy CHECKMULTISIG argument must be zero",
	ErrPubKeyType:            "Public key is neither compressed or uncompressed",
	ErrDiscourageNops:        "NOPx reserved for soft-fork upgrades",
	ErrFulfillment:           "Crypto-Condition payload is invalid",
}

// Error returns komodod's text. It starts with a capital letter because it is sent to clients.
func (k Kind) Error() string {
	if int(k) < len(kindTexts) && kindTexts[k] != "" {
		return kindTexts[k]
	}
	return "unknown error"
}

// Error reports a refused spend. errors.Is finds its Kind.
type Error struct{ Kind Kind }

// Error returns the kind's text with a prefix.
func (e *Error) Error() string { return "script: " + e.Kind.Error() }

// Unwrap returns the Kind.
func (e *Error) Unwrap() error { return e.Kind }

// Reject codes of sendrawtransaction (consensus/validation.h).
const (
	RejectInvalid     = 16
	RejectNonstandard = 64
)

// Rejection reports a spend that the mempool refuses. If Mandatory is set, the spend is invalid
// in any block; otherwise it only violates the relay policy.
type Rejection struct {
	Mandatory bool
	Err       *Error
}

// Code returns the reject code.
func (r *Rejection) Code() int {
	if r.Mandatory {
		return RejectInvalid
	}
	return RejectNonstandard
}

// Error returns komodod's reject reason (main.cpp ContextualCheckInputs).
func (r *Rejection) Error() string {
	if r.Mandatory {
		return "mandatory-script-verify-flag-failed (" + r.Err.Kind.Error() + ")"
	}
	return "non-mandatory-script-verify-flag (" + r.Err.Kind.Error() + ")"
}

// Unwrap returns the script's error.
func (r *Rejection) Unwrap() error { return r.Err }

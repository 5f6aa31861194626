package consensus

import "fmt"

// Reject codes of sendrawtransaction (consensus/validation.h).
const (
	RejectInvalid         = 16
	RejectDuplicate       = 18
	RejectNonstandard     = 64
	RejectDust            = 65
	RejectInsufficientFee = 66
)

// Rejection reports an invalid transaction or block, with komodod's reason. The rejections are
// the variables below; compare them with errors.Is.
type Rejection struct {
	Code   int
	Reason string
}

// Error returns the rejection in the form used by sendrawtransaction.
func (r *Rejection) Error() string { return fmt.Sprintf("%d: %s", r.Code, r.Reason) }

func invalid(reason string) *Rejection { return &Rejection{RejectInvalid, reason} }

// Rejections of a transaction by itself (CheckTransactionWithoutProofVerification).
var (
	ErrVersionTooLow   = invalid("bad-txns-version-too-low")
	ErrExpiryTooHigh   = invalid("bad-tx-expiry-height-too-high")
	ErrNoInputs        = invalid("bad-txns-vin-empty")
	ErrNoOutputs       = invalid("bad-txns-vout-empty")
	ErrOversize        = invalid("bad-txns-oversize")
	ErrValueNegative   = invalid("bad-txns-vout-negative")
	ErrValueTooLarge   = invalid("bad-txns-vout-toolarge")
	ErrTotalTooLarge   = invalid("bad-txns-txouttotal-toolarge")
	ErrScriptTooBig    = invalid("bad-txns-opret-too-big")
	ErrDuplicateInputs = invalid("bad-txns-inputs-duplicate")
	ErrCoinbaseLength  = invalid("bad-cb-length")
	ErrNullPrevout     = invalid("bad-txns-prevout-null")
	ErrShielded        = invalid("bad-txns-shielded-not-supported")
	ErrCoinImport      = invalid("bad-txns-import-not-supported")
)

// Rejections of a transaction at a height (ContextualCheckTransaction).
var (
	ErrOverwinterNotActive  = invalid("tx-overwinter-not-active")
	ErrOverwinterActive     = invalid("tx-overwinter-active")
	ErrOverwinterGroup      = invalid("bad-overwinter-tx-version-group-id")
	ErrSaplingGroup         = invalid("bad-sapling-tx-version-group-id")
	ErrSaplingFlagNotSet    = invalid("tx-overwintered-flag-not-set")
	ErrOverwinterFlagNotSet = invalid("tx-overwinter-flag-not-set")
	ErrExpired              = invalid("tx-overwinter-expired")
)

// Rejections of a transaction because of the coins it spends (CheckTxInputs).
var (
	ErrPrematureSpend = invalid("bad-txns-premature-spend-of-coinbase")
	ErrInputRange     = invalid("bad-txns-inputvalues-outofrange")
	ErrInBelowOut     = invalid("bad-txns-in-belowout")
)

// Rejections of a block (CheckBlock, ContextualCheckBlock, ConnectBlock).
var (
	ErrBlockLength    = invalid("bad-blk-length")
	ErrBits           = invalid("bad-diffbits")
	ErrBlockVersion   = invalid("bad-version")
	ErrTimeTooOld     = invalid("time-too-old")
	ErrTimeTooNew     = invalid("time-too-new")
	ErrNoCoinbase     = invalid("bad-cb-missing")
	ErrManyCoinbases  = invalid("bad-cb-multiple")
	ErrMerkleRoot     = invalid("bad-txnmrklroot")
	ErrRepeatedTxs    = invalid("bad-txns-duplicate")
	ErrBlockSigOps    = invalid("bad-blk-sigops")
	ErrNonFinal       = invalid("bad-txns-nonfinal")
	ErrCoinbaseHeight = invalid("bad-cb-height")
	ErrSaplingRoot    = invalid("bad-sapling-root-in-block")
	ErrMissingOrSpent = invalid("bad-txns-inputs-missingorspent")
	ErrExistingTx     = invalid("bad-txns-BIP30")
	ErrCoinbaseAmount = invalid("bad-cb-amount")

	// ErrCommission has no counterpart in komodod, where a producer makes no block in this
	// case.
	ErrCommission = invalid("bad-cb-commission")

	// ErrCoinbasePayments has no counterpart in komodod. It wraps the violated rule (package
	// params).
	ErrCoinbasePayments = invalid("bad-cb-payments")
)

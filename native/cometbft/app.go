package cometbft

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	dbm "github.com/cometbft/cometbft-db"
	abci "github.com/cometbft/cometbft/abci/types"
	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/types"

	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
)

// App is the chain as CometBFT's application (ABCI 2.0). It is safe for concurrent
// use.
type App struct {
	abci.BaseApplication
	log     *slog.Logger
	chainID string // of the node's genesis
	shared  *engine.Shared
	failed  func(error) // called with the reason why the chain cannot continue

	mu      sync.Mutex
	cut     map[int64][]engine.Part // by the engine's height: the chunks of a snapshot
	joining engine.Snapshot         // from which the node joins
	applied int                     // number of chunks of joining that have arrived
	blocks  [][]byte                // of these chunks
}

var _ abci.Application = (*App)(nil)

// NewApp returns the application. failed is called with an error after which the node must end,
// because CometBFT would continue without the chain.
func NewApp(log *slog.Logger, chainID string, shared *engine.Shared, failed func(error)) *App {
	return &App{log: log, chainID: chainID, shared: shared, failed: failed, cut: map[int64][]engine.Part{}}
}

// Codes of the result of a transaction. The app hash does not depend on the texts of results.
const (
	codeOK      = abci.CodeTypeOK
	codeRefused = 1
)

// fail reports an error that ends the node, and returns it.
func (a *App) fail(doing string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	err = fmt.Errorf("%s: %w", doing, err)
	a.failed(err)
	return err
}

// Info returns the last block of the chain, from which CometBFT continues.
func (a *App) Info(ctx context.Context, _ *abci.RequestInfo) (*abci.ResponseInfo, error) {
	height, hash, err := a.shared.Standing(ctx)
	if err != nil {
		return nil, a.fail("report the last block to CometBFT", err)
	}
	return &abci.ResponseInfo{Data: "obverse", AppVersion: appVersion, LastBlockHeight: height, LastBlockAppHash: hash}, nil
}

// InitChain begins the chain of the genesis.
func (a *App) InitChain(ctx context.Context, r *abci.RequestInitChain) (*abci.ResponseInitChain, error) {
	if a.chainID != "" && r.ChainId != a.chainID {
		return nil, a.fail("begin the chain", fmt.Errorf("%w: CometBFT's is of chain %q, the node's of %q", ErrGenesis, r.ChainId, a.chainID))
	}
	hash, err := a.shared.Begin(ctx, r.Time)
	if err != nil {
		return nil, a.fail("begin the chain", err)
	}
	return &abci.ResponseInitChain{AppHash: hash}, nil
}

// CheckTx adds a transaction of a client or of another node to the node's
// mempool. CometBFT keeps a transaction as long as the node's mempool contains it.
func (a *App) CheckTx(ctx context.Context, r *abci.RequestCheckTx) (*abci.ResponseCheckTx, error) {
	if r.Type == abci.CheckTxType_Recheck {
		if !a.shared.Waits(r.Tx) {
			return &abci.ResponseCheckTx{Code: codeRefused, Log: "not in the mempool any more"}, nil
		}
		return &abci.ResponseCheckTx{Code: codeOK, GasWanted: 1}, nil
	}
	err := a.shared.Check(ctx, r.Tx)
	var refused *mempool.Error
	if err != nil && !errors.As(err, &refused) && !errors.Is(err, context.Canceled) {
		// The store cannot be read or written. CheckTx can only refuse the transaction; the next
		// block ends the node.
		return &abci.ResponseCheckTx{Code: codeRefused, Log: "the node cannot take transactions"}, nil
	}
	if err != nil {
		return &abci.ResponseCheckTx{Code: codeRefused, Log: err.Error()}, nil
	}
	return &abci.ResponseCheckTx{Code: codeOK, GasWanted: 1}, nil
}

// PrepareProposal removes the transactions for which the block has no room.
func (a *App) PrepareProposal(ctx context.Context, r *abci.RequestPrepareProposal) (*abci.ResponsePrepareProposal, error) {
	txs, err := a.shared.Propose(ctx, engine.Round{Height: r.Height, Time: r.Time, Txs: fitting(r.Txs, r.MaxTxBytes)})
	if err != nil {
		return nil, a.fail(fmt.Sprintf("propose block %d", r.Height), err)
	}
	return &abci.ResponsePrepareProposal{Txs: txs}, nil
}

// fitting returns the first transactions that fit into max bytes.
func fitting(txs [][]byte, max int64) [][]byte {
	for i, tx := range txs {
		if max -= types.ComputeProtoSizeForTxs([]types.Tx{tx}); max < 0 {
			return txs[:i]
		}
	}
	return txs
}

// ProcessProposal rejects a block with an invalid transaction.
func (a *App) ProcessProposal(ctx context.Context, r *abci.RequestProcessProposal) (*abci.ResponseProcessProposal, error) {
	err := a.shared.Judge(ctx, engine.Round{Height: r.Height, Time: r.Time, Txs: r.Txs})
	switch {
	case errors.Is(err, engine.ErrProposal):
		return &abci.ResponseProcessProposal{Status: abci.ResponseProcessProposal_REJECT}, nil
	case err != nil:
		return nil, a.fail(fmt.Sprintf("judge the proposal of block %d", r.Height), err)
	}
	return &abci.ResponseProcessProposal{Status: abci.ResponseProcessProposal_ACCEPT}, nil
}

// FinalizeBlock executes a decided block without storing the result.
func (a *App) FinalizeBlock(ctx context.Context, r *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	out, err := a.shared.Finalize(ctx, engine.Round{Height: r.Height, Time: r.Time, Txs: r.Txs})
	if err != nil {
		return nil, a.fail(fmt.Sprintf("execute block %d", r.Height), err)
	}
	response := &abci.ResponseFinalizeBlock{AppHash: out.AppHash, TxResults: make([]*abci.ExecTxResult, len(r.Txs))}
	for i, verdict := range out.Verdicts {
		response.TxResults[i] = &abci.ExecTxResult{Code: codeOK}
		if verdict != nil {
			response.TxResults[i] = &abci.ExecTxResult{Code: codeRefused, Log: verdict.Error()}
		}
	}
	return response, nil
}

// Commit makes the finalized block durable.
func (a *App) Commit(ctx context.Context, _ *abci.RequestCommit) (*abci.ResponseCommit, error) {
	if err := a.shared.Commit(ctx); err != nil {
		return nil, a.fail("write the block", err)
	}
	return &abci.ResponseCommit{}, nil
}

// database is a database of CometBFT. CometBFT closes its databases while some of its goroutines still read
// blocks to send to peers, and panics if they cannot. After Close, a database therefore appears empty.
type database struct {
	dbm.DB
	closed  atomic.Bool
	damaged func(error) // called with the reason why it cannot be read, before CometBFT panics
}

func openDatabase(c *cfg.DBContext) (dbm.DB, error) {
	db, err := cfg.DefaultDBProvider(c)
	if err != nil {
		return nil, err
	}
	return &database{DB: db, damaged: func(error) {}}, nil
}

// reporting is openDatabase for a running node, which logs advice about damage,
// because CometBFT ends the process with a panic if it finds damage.
func reporting(log *slog.Logger) cfg.DBProvider {
	return func(c *cfg.DBContext) (dbm.DB, error) {
		db, err := openDatabase(c)
		if d, ok := db.(*database); ok {
			d.damaged = func(err error) {
				log.Error("CometBFT's data cannot be read; "+unfit, "database", c.ID, "error", err)
			}
		}
		return db, err
	}
}

// Get implements dbm.DB.
func (d *database) Get(key []byte) ([]byte, error) {
	value, err := d.DB.Get(key)
	if err != nil && d.closed.Load() {
		return nil, nil
	}
	if err != nil {
		d.damaged(err)
	}
	return value, err
}

// Has implements dbm.DB.
func (d *database) Has(key []byte) (bool, error) {
	has, err := d.DB.Has(key)
	if err != nil && d.closed.Load() {
		return false, nil
	}
	if err != nil {
		d.damaged(err)
	}
	return has, err
}

// Close implements dbm.DB.
func (d *database) Close() error {
	d.closed.Store(true)
	return d.DB.Close()
}

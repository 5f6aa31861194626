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

// App is the chain as CometBFT sees it (ABCI 2.0). Its methods may be called from several
// connections.
type App struct {
	abci.BaseApplication
	log     *slog.Logger
	chainID string // of the node's genesis
	shared  *engine.Shared
	failed  func(error) // called with why the chain cannot continue

	mu      sync.Mutex
	cut     map[int64][]engine.Part // by the engine's height: a snapshot's chunks
	joining engine.Snapshot         // that the node begins with
	applied int                     // chunks of joining that have come
	blocks  [][]byte                // of these
}

var _ abci.Application = (*App)(nil)

// NewApp makes the application. failed gets an error after which the node must end:
// CometBFT would go on running, but not the chain.
func NewApp(log *slog.Logger, chainID string, shared *engine.Shared, failed func(error)) *App {
	return &App{log: log, chainID: chainID, shared: shared, failed: failed, cut: map[int64][]engine.Part{}}
}

// Codes of a transaction's result. The app hash does not depend on the texts next to them.
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

// Info returns the last block of the chain, after which CometBFT continues.
func (a *App) Info(ctx context.Context, _ *abci.RequestInfo) (*abci.ResponseInfo, error) {
	height, hash, err := a.shared.Standing(ctx)
	if err != nil {
		return nil, a.fail("report the last block to CometBFT", err)
	}
	return &abci.ResponseInfo{Data: "obverse", AppVersion: appVersion, LastBlockHeight: height, LastBlockAppHash: hash}, nil
}

// InitChain begins the chain as the genesis has it.
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

// CheckTx takes a transaction of a client or of another node into the mempool, which the
// node answers from too. One that CometBFT holds stays there for as long as the mempool has it.
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
		// The store cannot be read or written: refusing is all that CheckTx can do, the next
		// block ends the node.
		return &abci.ResponseCheckTx{Code: codeRefused, Log: "the node cannot take transactions"}, nil
	}
	if err != nil {
		return &abci.ResponseCheckTx{Code: codeRefused, Log: err.Error()}, nil
	}
	return &abci.ResponseCheckTx{Code: codeOK, GasWanted: 1}, nil
}

// PrepareProposal leaves out what a block cannot hold.
func (a *App) PrepareProposal(ctx context.Context, r *abci.RequestPrepareProposal) (*abci.ResponsePrepareProposal, error) {
	txs, err := a.shared.Propose(ctx, engine.Round{Height: r.Height, Time: r.Time, Txs: fitting(r.Txs, r.MaxTxBytes)})
	if err != nil {
		return nil, a.fail(fmt.Sprintf("propose block %d", r.Height), err)
	}
	return &abci.ResponsePrepareProposal{Txs: txs}, nil
}

// fitting returns the first transactions that have room in max bytes.
func fitting(txs [][]byte, max int64) [][]byte {
	for i, tx := range txs {
		if max -= types.ComputeProtoSizeForTxs([]types.Tx{tx}); max < 0 {
			return txs[:i]
		}
	}
	return txs
}

// ProcessProposal refuses a block with a transaction that is not valid.
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

// FinalizeBlock works out what a decided block does.
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

// Commit makes the block durable that was finalized.
func (a *App) Commit(ctx context.Context, _ *abci.RequestCommit) (*abci.ResponseCommit, error) {
	if err := a.shared.Commit(ctx); err != nil {
		return nil, a.fail("write the block", err)
	}
	return &abci.ResponseCommit{}, nil
}

// database is one of CometBFT's. CometBFT closes them while some of its goroutines still look
// for blocks to send to others, and panics when these cannot read: here they find nothing.
type database struct {
	dbm.DB
	closed  atomic.Bool
	damaged func(error) // called with why it cannot be read; CometBFT panics then
}

func openDatabase(c *cfg.DBContext) (dbm.DB, error) {
	db, err := cfg.DefaultDBProvider(c)
	if err != nil {
		return nil, err
	}
	return &database{DB: db, damaged: func(error) {}}, nil
}

// reporting is openDatabase for a node that runs, whose log says what can be done about damage:
// CometBFT ends the process with a panic wherever it finds some.
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

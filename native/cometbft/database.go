package cometbft

import (
	"log/slog"
	"sync/atomic"

	dbm "github.com/cometbft/cometbft-db"
	cfg "github.com/cometbft/cometbft/config"
)

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

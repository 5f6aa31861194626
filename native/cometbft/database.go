package cometbft

import (
	"sync/atomic"

	dbm "github.com/cometbft/cometbft-db"
	cfg "github.com/cometbft/cometbft/config"
)

// database is one of CometBFT's. CometBFT closes them while some of its goroutines still look
// for blocks to send to others, and panics when these cannot read: here they find nothing.
type database struct {
	dbm.DB
	closed atomic.Bool
}

func openDatabase(c *cfg.DBContext) (dbm.DB, error) {
	db, err := cfg.DefaultDBProvider(c)
	if err != nil {
		return nil, err
	}
	return &database{DB: db}, nil
}

// Get implements dbm.DB.
func (d *database) Get(key []byte) ([]byte, error) {
	value, err := d.DB.Get(key)
	if err != nil && d.closed.Load() {
		return nil, nil
	}
	return value, err
}

// Has implements dbm.DB.
func (d *database) Has(key []byte) (bool, error) {
	has, err := d.DB.Has(key)
	if err != nil && d.closed.Load() {
		return false, nil
	}
	return has, err
}

// Close implements dbm.DB.
func (d *database) Close() error {
	d.closed.Store(true)
	return d.DB.Close()
}

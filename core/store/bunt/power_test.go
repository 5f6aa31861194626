package bunt

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

// TestPowerCuts runs random operations on a disk that loses, reorders and tears unsynced writes
// and sometimes fails a sync. It cuts the power at a random time and opens the result, which
// must contain everything that was acknowledged, and nothing that was never written.
//
// OBVERSE_POWER_CUTS is the number of runs. OBVERSE_SEED repeats the random choices of a run.
func TestPowerCuts(t *testing.T) {
	runs := fromEnv(t, "OBVERSE_POWER_CUTS", inShort(60, 300))
	seed := fromEnv(t, "OBVERSE_SEED", int(time.Now().UnixNano()))
	t.Logf("%d runs, OBVERSE_SEED=%d", runs, seed)
	var cuts, acknowledged, shrunk int
	for run := range runs {
		p := &powerRun{t: t, name: fmt.Sprintf("OBVERSE_SEED=%d, run %d", seed, run), random: rand.New(rand.NewPCG(uint64(seed), uint64(run)))}
		p.run()
		cuts, acknowledged, shrunk = cuts+p.cuts, acknowledged+p.acknowledged, shrunk+p.shrunk
	}
	t.Logf("%d power cuts, %d batches acknowledged, %d times shrunk", cuts, acknowledged, shrunk)
	require.Greater(t, cuts, runs/2)
	require.Greater(t, acknowledged, runs)
	require.Greater(t, shrunk, runs/10)
}

func fromEnv(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	return n
}

// powerRun is a run with one disk.
type powerRun struct {
	t      *testing.T
	name   string
	random *rand.Rand
	disk   *simDisk
	db     *DB

	states       []map[string]string // starting with the last acknowledged state, in the order of the batches
	cuts         int
	acknowledged int
	shrunk       int
}

func (p *powerRun) run() {
	p.disk, p.states = newSimDisk(), []map[string]string{{}}
	if p.random.IntN(4) == 0 {
		p.beginPlain()
	}
	for range 1 + p.random.IntN(4) {
		p.disk.left = p.random.IntN(60)
		if p.open() {
			for p.random.IntN(40) > 0 && p.step() {
				p.disk.fail(p.random.IntN(30) == 0)
			}
			p.end()
		}
		if p.random.IntN(8) == 0 {
			p.disk = p.disk.killed()
			continue
		}
		p.disk = p.disk.afterPowerCut(p.random)
		p.cuts++
	}
	p.disk.left = -1
	require.True(p.t, p.open(), p.name)
	require.NoError(p.t, p.db.Close(), p.name)
}

// beginPlain starts with a file of format 1.
func (p *powerRun) beginPlain() {
	b := p.batch()
	p.states = []map[string]string{after(p.states[0], b)}
	p.disk = simDiskOf("db", plainBatch(nil, b.Ops))
}

// open opens the store, unless the power is cut, and compares it with the acknowledged states.
// Afterwards, everything in it is durable.
func (p *powerRun) open() bool {
	var err error
	if p.db, err = open("db", p.disk); err != nil {
		p.requireDisk(err)
		return false
	}
	state := dump(p.t, p.db)
	for i := len(p.states) - 1; i >= 0; i-- {
		if maps.Equal(p.states[i], state) {
			p.states = p.states[i : i+1]
			return true
		}
	}
	require.Fail(p.t, "what was acknowledged is lost, or what never was has come", "%s: %v, of %d states", p.name, state, len(p.states))
	return false
}

// step performs a random operation, and reports whether the power is still on.
func (p *powerRun) step() bool {
	switch p.random.IntN(12) {
	case 0:
		p.shrunk++
		return p.goesOn(p.db.Shrink(p.t.Context()))
	case 1, 2, 3, 4, 5:
		_, ok := p.stage()
		return ok
	default:
		durable, ok := p.stage()
		if !ok || !p.goesOn(durable(p.t.Context())) {
			return false
		}
		p.acknowledged++
		p.states = p.states[len(p.states)-1:]
		return true
	}
}

func (p *powerRun) goesOn(err error) bool {
	p.requireDisk(err)
	return err == nil
}

// requireDisk requires that an error, if any, is an error of the disk.
func (p *powerRun) requireDisk(err error) {
	if err != nil && !errors.Is(err, errDropped) {
		require.ErrorIs(p.t, err, errPower, p.name)
	}
}

// stage stages a batch. A batch that the disk refused may still be present later.
func (p *powerRun) stage() (store.Durable, bool) {
	b := p.batch()
	next := after(p.states[len(p.states)-1], b)
	durable, err := p.db.Stage(p.t.Context(), b)
	p.states = append(p.states, next)
	return durable, p.goesOn(err)
}

func (p *powerRun) batch() (b store.Batch) {
	for range 1 + p.random.IntN(4) {
		key := strconv.Itoa(p.random.IntN(12))
		if p.random.IntN(4) == 0 {
			b.Delete(key)
			continue
		}
		data := make([]byte, p.random.IntN(20))
		if p.random.IntN(6) == 0 {
			data = make([]byte, p.random.IntN(3000))
		}
		for i := range data {
			data[i] = byte(p.random.IntN(256))
		}
		b.Put(key, string(data))
	}
	return b
}

// after returns the state after a batch is applied to a state.
func after(state map[string]string, b store.Batch) map[string]string {
	state = maps.Clone(state)
	for _, op := range b.Ops {
		if op.Delete {
			delete(state, op.Key)
		} else {
			state[op.Key] = op.Data
		}
	}
	return state
}

// end closes the store, in some runs cleanly.
func (p *powerRun) end() {
	if p.random.IntN(3) > 0 {
		_ = p.db.table.Close()
		return
	}
	err := p.db.Close()
	if err != nil {
		p.requireDisk(err)
		return
	}
	p.states = p.states[len(p.states)-1:]
}

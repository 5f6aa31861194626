package versionstat

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStateTable(t *testing.T) {
	calls := map[string]func(*Collector) error{
		"start":  func(c *Collector) error { return c.Start(context.Background(), time.Minute) },
		"update": func(c *Collector) error { return c.Update(time.Hour) },
		"stop":   (*Collector).Stop,
	}
	for _, c := range []struct {
		from State
		call string
		to   State
		err  error
	}{
		{Stopped, "start", Running, nil},
		{Stopped, "update", Stopped, ErrNotRunning},
		{Stopped, "stop", Stopped, ErrNotRunning},
		{Running, "start", Running, ErrRunning},
		{Running, "update", Updating, nil},
		{Running, "stop", Stopping, nil},
		{Updating, "start", Updating, ErrRunning},
		{Updating, "update", Updating, nil},
		{Updating, "stop", Stopping, nil},
		{Stopping, "start", Stopping, ErrStopping},
		{Stopping, "update", Stopping, ErrNotRunning},
		{Stopping, "stop", Stopping, ErrNotRunning},
	} {
		t.Run(string(c.from)+" "+c.call, func(t *testing.T) {
			s := newStation(t, nil)
			s.machine.state, s.machine.halt = c.from, make(chan struct{})
			allowed := s.CanChange
			if c.call == "start" {
				allowed = s.CanStart
			}
			if c.err != nil {
				require.ErrorIs(t, allowed(), c.err)
			} else {
				require.NoError(t, allowed())
			}
			err := calls[c.call](s.Collector)
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.to, s.State())
		})
	}
}

func TestRoundAppliesTheState(t *testing.T) {
	m := newMachine()
	require.NoError(t, m.start(time.Minute))
	interval, halt, more := m.round()
	require.True(t, more)
	require.Equal(t, time.Minute, interval)
	require.NoError(t, m.update(time.Hour))
	require.NoError(t, m.update(2*time.Hour))
	require.Equal(t, Updating, m.now())
	interval, _, more = m.round()
	require.True(t, more)
	require.Equal(t, 2*time.Hour, interval)
	require.Equal(t, Running, m.now())
	require.NoError(t, m.update(3*time.Hour))
	require.NoError(t, m.stop())
	<-halt
	_, _, more = m.round()
	require.False(t, more)
	require.Equal(t, Stopped, m.now())
}

func TestIntervalBounds(t *testing.T) {
	s := newStation(t, nil)
	for _, wrong := range []time.Duration{-time.Second, 0, MinInterval - 1, MaxInterval + 1} {
		require.ErrorIs(t, s.Start(t.Context(), wrong), ErrInterval)
	}
	require.Equal(t, Stopped, s.State())
	require.NoError(t, s.Start(t.Context(), MinInterval))
	require.ErrorIs(t, s.Update(MinInterval-1), ErrInterval)
	require.Equal(t, Running, s.State())
	require.ErrorIs(t, s.Start(t.Context(), 0), ErrRunning, "the state is looked at first")
	require.NoError(t, s.Update(MaxInterval))
}

package mmrpc

import (
	"errors"
	"fmt"
	"time"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/task"
)

// This file is what the methods of all kinds of tasks have in common. A kind is the name
// of its methods without the last part: task::enable_lightning.

type startedTask struct {
	ID uint64 `json:"task_id" doc:"by which the other methods know it"`
}

type taskStatusParams struct {
	ID     uint64 `json:"task_id" doc:"as init gave it"`
	Forget bool   `json:"forget_if_finished" default:"true" doc:"a task that is ready is known no more afterwards"`
}

type taskStatusResult struct {
	State   task.State `json:"status" doc:"InProgress, UserActionRequired, Ok or Error"`
	Details any        `json:"details" doc:"InProgress: what it does; UserActionRequired: what it asks; Ok: the result; Error: error, error_path, error_trace, error_type and error_data as in an answer"`
}

type taskParams struct {
	ID uint64 `json:"task_id" doc:"as init gave it"`
}

// failedTask is the error of a task: an answer's without what is the envelope's.
type failedTask struct {
	Text  string `json:"error"`
	Path  string `json:"error_path"`
	Trace string `json:"error_trace"`
	Type  string `json:"error_type"`
	Data  any    `json:"error_data,omitempty"`
}

// taskStatus words a state. failure gives the errors of the work their kinds.
func taskStatus(m *task.Manager, kind string, p taskStatusParams, limit time.Duration, failure func(error) error) (taskStatusResult, error) {
	status, err := m.Status(kind, task.ID(p.ID), p.Forget)
	if err != nil {
		return taskStatusResult{}, taskFailure(p.ID, err)
	}
	if status.State != task.Failed {
		return taskStatusResult{status.State, status.Detail}, nil
	}
	if err = failure(status.Err); errors.Is(err, task.ErrTimeout) {
		text := fmt.Sprintf("Initialization task has timed out %s", limit)
		err = mmerr.TaskTimedOut.From(err, mmerr.TaskLimit{Duration: mmerr.Duration{Seconds: uint64(limit / time.Second)}}, text)
	}
	var own *mmerr.Error
	if !errors.As(err, &own) {
		err = internal(err)
		errors.As(err, &own)
	}
	places, failed := mmerr.Places(err), failedTask{Text: own.Error(), Type: own.Type()}
	failed.Path, failed.Trace = mmerr.Path(places), mmerr.Trace(places)
	failed.Data, _ = own.Data() // nil if there is none
	return taskStatusResult{status.State, failed}, nil
}

// taskFailure gives the errors of a task.Manager their kinds, in the words and with the
// statuses of Komodo DeFi Framework rpc_task/src/rpc_common.rs. Those of Cancel are
// cancelFailure's.
func taskFailure(id uint64, err error) error {
	switch {
	case errors.Is(err, task.ErrNoSuchTask):
		return mmerr.NoSuchTask.From(err, id, fmt.Sprintf("No such task '%d'", id))
	case errors.Is(err, task.ErrFinished):
		return unexpectedStatus(err, id, "Finished")
	case errors.Is(err, task.ErrNotAwaiting):
		return unexpectedStatus(err, id, "InProgress")
	case errors.Is(err, task.ErrTooMany), errors.Is(err, task.ErrStopped):
		return mmerr.InternalError.From(err, err.Error(), "Internal error: "+err.Error())
	}
	return err
}

// unexpectedStatus refuses an answer to a task that has asked nothing.
func unexpectedStatus(err error, id uint64, actual string) error {
	text := fmt.Sprintf("RPC '%d' task is in unexpected status. Actual: '%s', expected: 'AwaitingUserAction'", id, actual)
	return mmerr.InternalError.From(err, text, "Internal error: "+text)
}

// cancelFailure gives the errors of task.Manager.Cancel their kinds: to cancel what is
// not there has a status of its own.
func cancelFailure(id uint64, err error) error {
	switch {
	case errors.Is(err, task.ErrNoSuchTask):
		return mmerr.NoTaskToCancel.From(err, id, fmt.Sprintf("No such task '%d'", id))
	case errors.Is(err, task.ErrFinished):
		return mmerr.TaskFinished.From(err, id, "Task is finished already")
	}
	return err
}

// nativeOnly refuses a method where it cannot work.
func nativeOnly(method string) error {
	name := "'" + method + "'"
	return mmerr.UnsupportedMode.Above(0, nil, name, name+" is only supported in native mode")
}

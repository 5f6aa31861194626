package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/task"
	"obverse/core/wallet/signer/device"
)

// ActivationLimit limits the time of a task that activates a coin. The time for a device and
// its user is shorter.
const ActivationLimit = 10 * time.Minute

// Succeeded is the result of methods that return nothing else.
const Succeeded = "success"

// TaskKind is a kind of tasks: a method that starts a task, and three methods for started
// tasks.
type TaskKind struct {
	Name     string // common prefix of the methods, such as task::enable_lightning
	Category string
	What     string        // description of the work in documents
	Details  string        // description of the details of status in documents
	First    string        // progress at the start of a task
	Next     string        // progress after the user has confirmed on a hardware wallet
	Limit    time.Duration // time limit of a task
}

// Methods returns init and the methods that are equal for all kinds.
func (k TaskKind) Methods(m *task.Manager, init rpc.Method) []rpc.Method {
	return []rpc.Method{
		init,
		rpc.Handle(k.Name+"::status", rpc.Doc{
			Summary: "Show the progress of " + k.What, Detail: k.Details, Category: k.Category,
		}, func(_ context.Context, p taskStatusParams) (taskStatusResult, error) { return k.status(m, p) }).Raises(Kinds(mmerr.NoSuchTask)...),
		rpc.Handle(k.Name+"::cancel", rpc.Doc{
			Summary: "Cancel " + k.What + " that is in progress", Category: k.Category,
		}, func(_ context.Context, p taskParams) (string, error) {
			return Succeeded, cancelFailure(p.ID, m.Cancel(k.Name, task.ID(p.ID)))
		}).Raises(Kinds(mmerr.NoTaskToCancel, mmerr.TaskFinished)...),
		rpc.Handle(k.Name+"::user_action", rpc.Doc{
			Summary: "Answer a request of " + k.What + " for user action", Detail: userActions, Category: k.Category,
		}, func(_ context.Context, p userActionParams) (string, error) {
			return Succeeded, taskFailure(p.ID, m.Answer(k.Name, task.ID(p.ID), p.Action))
		}).Raises(Kinds(mmerr.NoSuchTask)...),
	}
}

// userActions describes the user's answers in documents.
const userActions = "A Trezor may ask: " + AskPIN + " is answered with {action_type: " + actionPIN + ", pin}, where pin are the places of the PIN's digits in the matrix " +
	"that the device shows, as on a number pad; " + AskPassphrase + " with {action_type: " + actionPassphrase + ", passphrase}, or without a passphrase to enter it on the device. " +
	"An answer to a task without a request fails with an InternalError."

type userActionParams struct {
	ID     uint64          `json:"task_id" doc:"id of the task, as returned by init"`
	Action json.RawMessage `json:"user_action" rpc:"optional" doc:"the answer"`
}

// Start starts a task on behalf of a call, so that the work can use wallets in the page that
// made the call. The task's progress shows the user action for which a hardware wallet waits.
func (k TaskKind) Start(ctx context.Context, m *task.Manager, work func(context.Context) (any, error)) (StartedTask, error) {
	values := context.WithoutCancel(ctx)
	id, err := m.Start(task.Options{Kind: k.Name, First: k.First, Limit: k.Limit}, func(ctx context.Context, t *task.Task) (any, error) {
		ctx = device.Prompt(onBehalf{ctx, values}, prompts{t})
		return work(device.Listen(ctx, func(s device.State) {
			switch s {
			case device.WaitingForDevice:
				t.Report(StateWaiting)
			case device.FollowDeviceInstructions:
				t.Report(StateFollow)
			default:
				t.Report(k.Next)
			}
		}))
	})
	return StartedTask{uint64(id)}, taskFailure(uint64(id), err)
}

// onBehalf is the context of a task with the values of the call that started it.
type onBehalf struct {
	context.Context
	call context.Context
}

// Value implements context.Context.
func (c onBehalf) Value(name any) any {
	if v := c.Context.Value(name); v != nil {
		return v
	}
	return c.call.Value(name)
}

// StartedTask is the result of a method that starts a task.
type StartedTask struct {
	ID uint64 `json:"task_id" doc:"id of the task, for the other methods"`
}

type taskStatusParams struct {
	ID     uint64 `json:"task_id" doc:"id of the task, as returned by init"`
	Forget bool   `json:"forget_if_finished" default:"true" doc:"remove the task if it has finished"`
}

type taskStatusResult struct {
	State   task.State `json:"status" doc:"InProgress, UserActionRequired, Ok or Error"`
	Details any        `json:"details" doc:"InProgress: the current step; UserActionRequired: the requested action; Ok: the result; Error: error, error_path, error_trace, error_type and error_data as in an error response"`
}

type taskParams struct {
	ID uint64 `json:"task_id" doc:"id of the task, as returned by init"`
}

// failedTask is the error of a task, without the parts of the envelope.
type failedTask struct {
	Text  string `json:"error"`
	Path  string `json:"error_path"`
	Trace string `json:"error_trace"`
	Type  string `json:"error_type"`
	Data  any    `json:"error_data,omitempty"`
}

// status returns the state of a task. Errors of the work have kinds.
func (k TaskKind) status(m *task.Manager, p taskStatusParams) (taskStatusResult, error) {
	status, err := m.Status(k.Name, task.ID(p.ID), p.Forget)
	if err != nil {
		return taskStatusResult{}, taskFailure(p.ID, err)
	}
	if status.State != task.Failed {
		return taskStatusResult{status.State, status.Detail}, nil
	}
	if err = status.Err; errors.Is(err, task.ErrTimeout) {
		text := fmt.Sprintf("Initialization task has timed out %s", k.Limit)
		err = mmerr.TaskTimedOut.From(err, mmerr.TaskLimit{Duration: mmerr.Duration{Seconds: uint64(k.Limit / time.Second)}}, text)
	}
	var failure *mmerr.Error
	if !errors.As(err, &failure) {
		err = Internal(err)
		errors.As(err, &failure)
	}
	places, failed := mmerr.Places(err), failedTask{Text: failure.Error(), Type: failure.Type()}
	failed.Path, failed.Trace = mmerr.Path(places), mmerr.Trace(places)
	failed.Data, _ = failure.Data() // failed.Data is nil if the error has no data
	return taskStatusResult{status.State, failed}, nil
}

// taskFailure returns errors of a task.Manager with kinds. Texts and statuses are from Komodo
// DeFi Framework rpc_task/src/rpc_common.rs. For errors of Cancel, see cancelFailure.
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

// unexpectedStatus returns the error for an answer to a task that has not asked for one.
func unexpectedStatus(err error, id uint64, actual string) error {
	text := fmt.Sprintf("RPC '%d' task is in unexpected status. Actual: '%s', expected: 'AwaitingUserAction'", id, actual)
	return mmerr.InternalError.From(err, text, "Internal error: "+text)
}

// cancelFailure returns errors of task.Manager.Cancel with kinds. The status for a missing task
// differs from that in taskFailure.
func cancelFailure(id uint64, err error) error {
	var given *task.HandedOverError
	switch {
	case errors.Is(err, task.ErrNoSuchTask):
		return mmerr.NoTaskToCancel.From(err, id, fmt.Sprintf("No such task '%d'", id))
	case errors.As(err, &given):
		return mmerr.TaskFinished.From(err, id, "Task is finished already: "+err.Error())
	case errors.Is(err, task.ErrFinished):
		return mmerr.TaskFinished.From(err, id, "Task is finished already")
	}
	return err
}

// NativeOnly returns the error for a method that is not supported on this platform.
func NativeOnly(method string) error {
	name := "'" + method + "'"
	return mmerr.UnsupportedMode.Above(0, nil, name, name+" is only supported in native mode")
}

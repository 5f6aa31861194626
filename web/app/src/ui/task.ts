/** Hooks that load answers and run operations, with their errors. */

import { useSignal, type ReadonlySignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import type { EventOf } from "obverse";
import { subscribe } from "../node.ts";

export interface Task<A extends unknown[]> {
  run: (...args: A) => Promise<void>;
  busy: ReadonlySignal<boolean>;
  error: ReadonlySignal<unknown>;
  /** Clears the error. */
  clear: () => void;
}

/**
 * An operation started by the user. A second click while it runs has no effect, and its
 * error is available for a Fault.
 */
export function useTask<A extends unknown[]>(work: (...args: A) => Promise<unknown>): Task<A> {
  const busy = useSignal(false);
  const error = useSignal<unknown>(null);
  const latest = useRef(work);
  latest.current = work;
  const run = useCallback(async (...args: A) => {
    if (busy.peek()) {
      return;
    }
    busy.value = true;
    error.value = null;
    try {
      await latest.current(...args);
    } catch (caught) {
      error.value = caught;
    } finally {
      busy.value = false;
    }
  }, []);
  return { run, busy, error, clear: () => (error.value = null) };
}

export interface Load<T> {
  value: ReadonlySignal<T | null>;
  error: ReadonlySignal<unknown>;
  /** Loads it again; the current answer stays until the new one arrives. */
  reload: () => void;
}

/**
 * An answer to display. It is loaded when the view is rendered and whenever deps change; late
 * answers to former requests are dropped.
 * @param again the request is repeated whenever this changes, unless one is still
 * pending, so that answers of slow nodes are not lost
 */
export function useLoad<T>(ask: () => Promise<T>, deps: unknown[] = [], again = 0): Load<T> {
  const value = useSignal<T | null>(null);
  const error = useSignal<unknown>(null);
  const turn = useRef(0);
  const waiting = useRef(false);
  const latest = useRef(ask);
  latest.current = ask;
  const reload = useCallback(() => {
    const mine = ++turn.current;
    waiting.current = true;
    latest.current().then(
      (answer) => {
        if (mine === turn.current) {
          waiting.current = false;
          value.value = answer;
          error.value = null;
        }
      },
      (caught: unknown) => {
        if (mine === turn.current) {
          waiting.current = false;
          error.value = caught;
        }
      },
    );
  }, []);
  useEffect(() => {
    reload();
    return () => void turn.current++;
  }, deps);
  useEffect(() => {
    if (!waiting.current) {
      reload();
    }
  }, [again]);
  return { value, error, reload };
}

/** Subscribes to the events of a streamer while the view is mounted. */
export function useEvents<S extends string>(streamer: S, listener: (event: EventOf<S>) => void) {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => subscribe<string>(streamer, (event) => latest.current(event as EventOf<S>)), [streamer]);
}

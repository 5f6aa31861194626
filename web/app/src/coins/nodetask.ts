/**
 * Tasks of the node, which report their progress and may ask for input. Operations that wait for a
 * hardware wallet are tasks, so that the page can guide the user.
 */

import { signal } from "@preact/signals";
import { RpcError, type Methods } from "obverse";
import { connection, rpc } from "../node.ts";

/** The methods of a task without the part after the last "::". */
type Kind = { [M in keyof Methods]: M extends `${infer K}::user_action` ? K : never }[keyof Methods];

/** The step that a task is at, or the input that it waits for. */
export interface Step {
  /** The node's name for it. */
  name: string;
  /** Sends the input that the task waits for; null if it waits for none. */
  answer: ((action: unknown) => Promise<void>) | null;
}

/** The step of the running task; null if no task is running. */
export const step = signal<Step | null>(null);

const BETWEEN = 400; // ms between status requests

interface Status {
  status: string;
  details: unknown;
}

// The four methods of all tasks have the same shapes; Methods distinguishes them by name.
const call = rpc as (method: string, params: object) => Promise<unknown>;

/**
 * Runs a task on the node and returns its result.
 * @param current reports whether the result is still wanted; if not, the task is cancelled
 * @throws RpcError if the task failed
 */
export async function runTask(kind: Kind, params: object, current: () => boolean): Promise<unknown> {
  const node = connection.peek();
  const { task_id } = (await call(`${kind}::init`, params)) as { task_id: number };
  try {
    for (;;) {
      const { status, details } = (await call(`${kind}::status`, { task_id, forget_if_finished: true })) as Status;
      if (status === "Ok") {
        return details;
      }
      if (status === "Error") {
        throw new RpcError(400, details as ConstructorParameters<typeof RpcError>[1]);
      }
      if (!current() || connection.peek() !== node) {
        await call(`${kind}::cancel`, { task_id });
        throw new RpcError(400, { error: "the task was cancelled", error_type: "TaskCancelled" });
      }
      tell(String(details), status === "UserActionRequired" ? (action) => call(`${kind}::user_action`, { task_id, user_action: action }).then(() => {}) : null);
      await new Promise((resolve) => setTimeout(resolve, BETWEEN));
    }
  } finally {
    step.value = null;
  }
}

function tell(name: string, answer: Step["answer"]) {
  if (step.peek()?.name !== name) {
    step.value = { name, answer };
  }
}

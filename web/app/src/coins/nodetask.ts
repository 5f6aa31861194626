/**
 * Work of the node that says how far it is, and may ask for something: what waits for a
 * hardware wallet is done this way, so that the page can say what to do.
 */

import { signal } from "@preact/signals";
import { RpcError, type Methods } from "obverse";
import { connection, rpc } from "../node.ts";

/** The methods of a task, without what stands behind the last "::". */
type Kind = { [M in keyof Methods]: M extends `${infer K}::user_action` ? K : never }[keyof Methods];

/** What a task does, or what it asks for. */
export interface Step {
  /** As the node says it. */
  name: string;
  /** Gives what is asked for; null: nothing is. */
  answer: ((action: unknown) => Promise<void>) | null;
}

/** The step of the running task; null if no task runs. */
export const step = signal<Step | null>(null);

const BETWEEN = 400; // ms between questions

interface Status {
  status: string;
  details: unknown;
}

// The four methods of all tasks have the same shapes; Methods tells them apart by name.
const call = rpc as (method: string, params: object) => Promise<unknown>;

/**
 * Has the node do something as a task, and gives its result.
 * @param current whether somebody still waits for it; if not, it is cancelled
 * @throws RpcError what became of it
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

/** The activation of a Lightning coin, which is a task of the node. */

import { NodeError, RpcError } from "obverse";
import { refresh } from "../../coins/holdings.ts";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { announce } from "../../ui/announce.tsx";

export interface Wanted {
  ticker: string;
  /** Of the node; nobody is told it. */
  name: string;
  /** Where others can connect, if the node listens. */
  port: number;
}

const LOOK = 300; // ms between looks at a task

/** What a failed task tells: an error as in an answer. */
type Failed = ConstructorParameters<typeof RpcError>[1];

/**
 * Activates a coin, and waits until it is active.
 * @param begun gets the task's number
 */
export async function activate({ ticker, name, port }: Wanted, begun: (task: number) => void): Promise<void> {
  try {
    const { task_id: task } = await rpc("task::enable_lightning::init", { ticker, activation_params: { name, listening_port: port } });
    begun(task);
    await done(task);
  } catch (error) {
    if (!isKind(error, "L2IsAlreadyActivated")) {
      throw error;
    }
  }
  announce(t("lightning.active", { ticker }));
  await refresh();
}

async function done(task: number): Promise<void> {
  for (;;) {
    const { status, details } = await rpc("task::enable_lightning::status", { task_id: task });
    if (status === "Ok") {
      return;
    }
    if (status === "Error") {
      throw new RpcError(200, details as Failed);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

/** Ends an activation, unless it is ready. */
export async function cancel(task: number): Promise<void> {
  try {
    await rpc("task::enable_lightning::cancel", { task_id: task });
  } catch (error) {
    if (!isKind(error, "NoSuchTask") && !isKind(error, "TaskFinished")) {
      throw error;
    }
  }
}

export const isKind = (error: unknown, kind: string): error is NodeError => error instanceof NodeError && error.kind === kind;

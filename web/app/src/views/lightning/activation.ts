/** Activates Lightning coins, by a task of the node. */

import { NodeError, RpcError } from "obverse";
import { refresh } from "../../coins/holdings.ts";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { announce } from "../../ui/announce.tsx";

export interface Wanted {
  ticker: string;
  /** The name of the node; it is not announced to others. */
  name: string;
  /** The port on which others can connect, if the node listens. */
  port: number;
}

const LOOK = 300; // ms between status requests of a task

/** The error of a failed task, in the form of an error response. */
type Failed = ConstructorParameters<typeof RpcError>[1];

/**
 * Activates a coin and waits until it is active.
 * @param begun called with the task's number
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

/** Cancels an activation, unless it has finished. */
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

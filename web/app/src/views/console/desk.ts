/** The state of the console: its input and the outcome. */

import { useSignal, type Signal } from "@preact/signals";
import { NodeError } from "obverse";
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import { t } from "../../language.ts";
import { route } from "../../route.ts";
import { afterRender } from "../../ui/focus.ts";
import { useTask, type Task } from "../../ui/task.ts";
import { call, type Outcome } from "./call.ts";
import { remember, type Made } from "./calls.ts";
import type { Method, Side } from "./document.ts";
import { showsSecret } from "./secrets.ts";
import { countGiven, firstGap, given, skeleton, withParam } from "./skeleton.ts";

export interface Shown extends Outcome {
  /** Number of the answer. */
  n: number;
  /** Whether the answer is secret. */
  secret: boolean;
}

export interface Desk {
  side: Signal<Side>;
  /** The method's name as entered. */
  name: Signal<string>;
  params: Signal<string>;
  wrong: Signal<{ name: string; params: string }>;
  shown: Signal<Shown | null>;
  send: Task<[]>;
  /** The method, if the node describes it. */
  method: Method | null;
  /** The text area of the parameters. */
  box: RefObject<HTMLTextAreaElement | null>;
  /** Enters a name; if it is a method's, its required parameters are inserted. */
  enter: (name: string) => void;
  /** Chooses a method and moves on to its parameters. */
  pick: (name: string) => void;
  turn: (side: Side) => void;
  recall: (made: Made) => void;
  /** Inserts a parameter. */
  add: (param: string) => void;
  has: (param: string) => boolean;
}

const NOTHING = { name: "", params: "" };

/** Returns what the page's address names: call=A:generate. */
function requested(): [Side, string] {
  const [, side = "B", name = ""] = /^([AB]):(.*)$/.exec(route.peek().query.get("call") ?? "") ?? [];
  return [side as Side, name];
}

function wrongJson(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return t("console.badjson", { message: (error as Error).message });
  }
}

/** Makes a call and remembers it. */
async function callOnce(side: Side, name: string, params: string): Promise<Outcome> {
  const start = performance.now();
  try {
    const outcome = await call(side, name, params);
    remember(side, name, params, outcome.error?.kind ?? "", outcome.ms);
    return outcome;
  } catch (error) {
    remember(side, name, params, error instanceof NodeError ? error.kind : "Error", performance.now() - start);
    throw error;
  }
}

export function useDesk(methods: Record<Side, Method[]>): Desk {
  const find = (at: Side, text: string) => methods[at].find((one) => one.name === text.trim()) ?? null;
  const fresh = (at: Side, text: string) => {
    const found = find(at, text);
    return found ? skeleton(at, found) : at === "B" ? "{}" : "[]";
  };
  const first = useRef(requested()).current;
  const [side, name] = [useSignal(first[0]), useSignal(first[1])];
  const params = useSignal(fresh(...first));
  const untouched = useRef(params.peek()); // the parameters that were inserted automatically
  const wrong = useSignal(NOTHING);
  const shown = useSignal<Shown | null>(null);
  const count = useRef(0);
  const box = useRef<HTMLTextAreaElement>(null);
  const method = find(side.value, name.value);

  const begin = (text: string) => (params.value = untouched.current = fresh(side.peek(), text));
  const focusParams = () =>
    afterRender(() => {
      box.current?.focus();
      box.current?.setSelectionRange(...firstGap(params.peek()));
    });
  const enter = (text: string) => {
    name.value = text;
    if (find(side.peek(), text) && (params.peek() === untouched.current || params.peek().trim() === "")) {
      begin(text);
    }
  };
  const send = useTask(async () => {
    const [at, called, text] = [side.peek(), name.peek().trim(), params.peek()];
    wrong.value = { name: called === "" ? t("console.nomethod") : "", params: wrongJson(text) };
    if (wrong.peek().name !== "" || wrong.peek().params !== "") {
      return;
    }
    try {
      shown.value = { ...(await callOnce(at, called, text)), n: ++count.current, secret: showsSecret(at, called) };
    } catch (error) {
      shown.value = null;
      throw error;
    }
  });
  return {
    ...{ side, name, params, wrong, shown, send, method, box, enter },
    pick: (text) => {
      enter(text);
      wrong.value = NOTHING;
      focusParams();
    },
    turn: (to) => {
      side.value = to;
      wrong.value = NOTHING;
      begin(name.peek());
    },
    recall: (made) => {
      [side.value, name.value, params.value] = [made.side, made.method, made.params];
      untouched.current = "";
      wrong.value = { name: "", params: made.redacted ? t("console.nosecrets") : "" };
      focusParams();
    },
    add: (param) => {
      const now = method && withParam(side.peek(), method, params.peek(), param);
      wrong.value = { ...wrong.peek(), params: now === null ? t("console.fixjson") : "" };
      params.value = now ?? params.peek();
    },
    has: (param) => (side.value === "B" ? given(params.value).has(param) : (method?.params.findIndex((one) => one.name === param) ?? 0) < countGiven(params.value)),
  };
}

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { NodeError } from "obverse";
import { connection } from "../node.ts";
import { route } from "../route.ts";
import { Button } from "../ui/button.tsx";
import { Check } from "../ui/check.tsx";
import { Copy } from "../ui/copy.tsx";
import { Fault } from "../ui/fault.tsx";
import { Progress } from "../ui/progress.tsx";
import { useLoad, useTask } from "../ui/task.ts";
import { Title } from "../ui/title.tsx";
import { Answer } from "./console/answer.tsx";
import { call, curl, type Outcome } from "./console/call.ts";
import { made, remember, type Made } from "./console/calls.ts";
import { Combobox } from "./console/combobox.tsx";
import type { Method, Side } from "./console/document.ts";
import { Editor } from "./console/editor.tsx";
import { Help } from "./console/help.tsx";
import { documents } from "./console/methods.ts";
import { showsSecret, warning } from "./console/secrets.ts";
import { countGiven, firstGap, given, skeleton, withParam } from "./console/skeleton.ts";
import "./console.css";

/** Calls any method of the node with parameters as they are written. */
export default function Console() {
  const known = useLoad(documents);
  return (
    <div class="console">
      <Title text="Console" />
      <Fault error={known.error.value} retry={known.reload} />
      {known.value.value ? <Caller methods={known.value.value} /> : known.error.value === null && <Progress label="Asking the node for its methods" />}
    </div>
  );
}

const sides: Record<Side, string> = { B: "Node (interface B)", A: "Token daemon (interface A)" };

/** What the address asks for: call=A:generate. */
function asked(): [Side, string] {
  const [, side = "B", name = ""] = /^([AB]):(.*)$/.exec(route.peek().query.get("call") ?? "") ?? [];
  return [side as Side, name];
}

interface Shown extends Outcome {
  /** Counts the answers. */
  n: number;
  secret: boolean;
}

function Caller({ methods }: { methods: Record<Side, Method[]> }) {
  const [firstSide, firstName] = asked();
  const side = useSignal<Side>(firstSide);
  const name = useSignal(firstName);
  const find = (text: string) => methods[side.peek()].find((one) => one.name === text.trim()) ?? null;
  const fresh = (text: string) => {
    const found = find(text);
    return found ? skeleton(side.peek(), found) : side.peek() === "B" ? "{}" : "[]";
  };
  const params = useSignal(fresh(firstName));
  const untouched = useSignal(params.peek()); // what was put there without the user
  const wrong = useSignal({ name: "", params: "" });
  const shown = useSignal<Shown | null>(null);
  const count = useRef(0);
  const box = useRef<HTMLTextAreaElement>(null);
  const method = methods[side.value].find((one) => one.name === name.value.trim()) ?? null;

  const enter = (text: string) => {
    name.value = text;
    if (!find(text)) {
      return;
    }
    if (params.peek() === untouched.peek() || params.peek().trim() === "") {
      params.value = untouched.value = fresh(text);
    }
  };
  const focusParams = () => {
    requestAnimationFrame(() => {
      box.current?.focus();
      box.current?.setSelectionRange(...firstGap(params.peek()));
    });
  };
  const pick = (text: string) => {
    enter(text);
    wrong.value = { name: "", params: "" };
    focusParams();
  };
  const send = useTask(async () => {
    const [at, called, text] = [side.peek(), name.peek().trim(), params.peek()];
    wrong.value = { name: called === "" ? "Choose a method, or enter its name." : "", params: wrongJson(text) };
    if (wrong.peek().name !== "" || wrong.peek().params !== "") {
      return;
    }
    const start = performance.now();
    try {
      const outcome = await call(at, called, text);
      shown.value = { ...outcome, n: ++count.current, secret: showsSecret(at, called) };
      remember(at, called, text, outcome.error?.kind ?? "", outcome.ms);
    } catch (error) {
      shown.value = null;
      remember(at, called, text, error instanceof NodeError ? error.kind : "Error", performance.now() - start);
      throw error;
    }
  });
  const recall = (one: Made) => {
    side.value = one.side;
    name.value = one.method;
    params.value = one.params;
    untouched.value = "";
    wrong.value = { name: "", params: one.redacted ? "Secrets were not kept: enter them again." : "" };
    focusParams();
  };
  const add = (param: string) => {
    const now = method && withParam(side.peek(), method, params.peek(), param);
    wrong.value = { ...wrong.peek(), params: now === null ? "Mend the JSON first." : "" };
    if (now !== null) {
      params.value = now;
    }
  };
  const has = (param: string) => (side.value === "B" ? given(params.value).has(param) : (method?.params.findIndex((one) => one.name === param) ?? 0) < countGiven(params.value));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send.run();
    }
  };
  const turn = (to: Side) => {
    side.value = to;
    wrong.value = { name: "", params: "" };
    params.value = untouched.value = fresh(name.peek());
  };
  const warned = warning(side.value, name.value.trim());
  return (
    <div class="desk">
      <form onSubmit={(event) => (event.preventDefault(), void send.run())} onKeyDown={onKeyDown}>
        <fieldset>
          <legend class="unseen">Interface</legend>
          {(["B", "A"] as const).map((one) => (
            <Check key={one} name="side" checked={side.value === one} onCheck={() => turn(one)} disabled={one === "A" && !connection.value?.hasDaemon}>
              {sides[one]}
            </Check>
          ))}
        </fieldset>
        <Combobox label="Method" hint="Type a part of its name or of what it does." error={wrong.value.name} value={name.value} options={methods[side.value].map(({ name: value, summary: detail }) => ({ value, detail }))} onText={enter} onPick={pick} />
        <Editor side={side.value} method={method} value={params.value} error={wrong.value.params} onText={(text) => (params.value = text)} box={box} />
        {warned && <p class="warned">{warned}</p>}
        <div class="actions">
          <Button busy={send.busy.value} aria-keyshortcuts="Control+Enter">
            Send
          </Button>
          <Copy text={curl(side.value, name.value.trim(), params.value)} what="as curl, for a native node, without the password" label="Copy as curl" />
          <small>Ctrl+Enter sends it.</small>
        </div>
      </form>
      <div class="answer" aria-busy={send.busy.value}>
        <Fault error={send.error.value} />
        {shown.value && <Answer key={shown.value.n} outcome={shown.value} secret={shown.value.secret} />}
      </div>
      <div class="help" role="complementary" aria-label="About the method">{method ? <Help side={side.value} method={method} has={has} add={add} /> : <p class="muted">What a method does and takes is told here.</p>}</div>
      <Calls recall={recall} />
    </div>
  );
}

function wrongJson(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}`;
  }
}

/** The calls that were made, to make them again. */
function Calls({ recall }: { recall: (one: Made) => void }) {
  if (made.value.length === 0) {
    return null;
  }
  return (
    <section class="calls" aria-labelledby="calls">
      <h2 id="calls">Calls</h2>
      <p>
        They are kept until the wallet is locked or the page is closed, without their answers and without secrets.{" "}
        <button type="button" class="quiet" onClick={() => (made.value = [])}>
          Forget them
        </button>
      </p>
      <ol>
        {made.value.map((one) => (
          <li key={one.n}>
            <button type="button" class="quiet" onClick={() => recall(one)}>
              {one.side} {one.method}
            </button>{" "}
            <code>{one.params.replaceAll(/\s+/g, " ").slice(0, 80)}</code>{" "}
            <small>
              {one.kind || "answered"}, {one.ms.toFixed(1)} ms
            </small>
          </li>
        ))}
      </ol>
    </section>
  );
}

import { t, type Text } from "../language.ts";
import { connection } from "../node.ts";
import { Button } from "../ui/button.tsx";
import { Check } from "../ui/check.tsx";
import { Copy } from "../ui/copy.tsx";
import { Fault } from "../ui/fault.tsx";
import { Progress } from "../ui/progress.tsx";
import { useLoad } from "../ui/task.ts";
import { Title } from "../ui/title.tsx";
import { Answer } from "./console/answer.tsx";
import { curl } from "./console/call.ts";
import { Calls } from "./console/callslist.tsx";
import { Combobox } from "./console/combobox.tsx";
import { useDesk, type Desk } from "./console/desk.ts";
import type { Method, Side } from "./console/document.ts";
import { Editor } from "./console/editor.tsx";
import { Help } from "./console/help.tsx";
import { documents } from "./console/methods.ts";
import { warning } from "./console/secrets.ts";
import "./console.css";

/** Calls any method of the node with parameters in JSON. */
export default function Console() {
  const known = useLoad(documents);
  return (
    <div class="console">
      <Title text={t("view.console")} />
      <Fault error={known.error.value} retry={known.reload} />
      {known.value.value ? <Caller methods={known.value.value} /> : known.error.value === null && <Progress label={t("console.asking")} />}
    </div>
  );
}

function Caller({ methods }: { methods: Record<Side, Method[]> }) {
  const desk = useDesk(methods);
  const { side, shown, send, method } = desk;
  return (
    <div class="desk">
      <Request desk={desk} methods={methods[side.value]} />
      <div class="answer" aria-busy={send.busy.value}>
        <Fault error={send.error.value} />
        {shown.value && <Answer key={shown.value.n} outcome={shown.value} secret={shown.value.secret} />}
      </div>
      <div class="help" role="complementary" aria-label={t("console.about")}>
        {method ? <Help side={side.value} method={method} has={desk.has} add={desk.add} /> : <p class="muted">{t("console.choose")}</p>}
      </div>
      <Calls recall={desk.recall} />
    </div>
  );
}

const sides: Record<Side, Text> = { B: "console.sideb", A: "console.sidea" };

/** The form of a request. */
function Request({ desk: { side, name, params, wrong, send, method, box, enter, pick, turn }, methods }: { desk: Desk; methods: Method[] }) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send.run();
    }
  };
  const called = name.value.trim();
  const warned = warning(side.value, called);
  return (
    <form onSubmit={(event) => (event.preventDefault(), void send.run())} onKeyDown={onKeyDown}>
      <fieldset>
        <legend class="unseen">{t("console.interface")}</legend>
        {(["B", "A"] as const).map((one) => (
          <Check key={one} name="side" checked={side.value === one} onCheck={() => turn(one)} disabled={one === "A" && !connection.value?.hasDaemon}>
            {t(sides[one])}
          </Check>
        ))}
      </fieldset>
      <Combobox label={t("console.method")} hint={t("console.methodhint")} error={wrong.value.name} value={name.value} options={methods.map(({ name: value, summary: detail }) => ({ value, detail }))} onText={enter} onPick={pick} />
      <Editor side={side.value} method={method} value={params.value} error={wrong.value.params} onText={(text) => (params.value = text)} box={box} />
      {warned && <p class="warned">{warned}</p>}
      <div class="actions">
        <Button busy={send.busy.value} aria-keyshortcuts="Control+Enter">
          {t("console.send")}
        </Button>
        <Copy text={curl(side.value, called, params.value)} what={t("console.ascurl")} label={t("console.copycurl")} />
        <small>{t("console.ctrlenter")}</small>
      </div>
    </form>
  );
}

import { useSignal } from "@preact/signals";
import type { Reading } from "../../mnemonic.ts";
import type { PageSecret } from "../../session/profile.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Area } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { ImportFile } from "./importfile.tsx";
import { NewPassword } from "./newpassword.tsx";

/** The user has words, or another secret. */
export default function Restore({ back }: { back: () => void }) {
  const text = useSignal("");
  const error = useSignal("");
  const reading = useSignal<Reading["is"]>("mnemonic"); // until it is known better
  const agreed = useSignal(false);
  const oneKey = useSignal(false);
  const secret = useSignal<PageSecret | null>(null);
  const task = useTask(async () => {
    const given = text.peek().replace(/^[\r\n]+|[\r\n]+$/g, "");
    if (given.trim() === "") {
      error.value = "Enter your recovery phrase or passphrase.";
      return;
    }
    const { read } = await import("../../mnemonic.ts");
    const found = read(given);
    reading.value = found.is;
    if (found.is === "mnemonic") {
      secret.value = { passphrase: found.words, hd: !oneKey.peek() };
    } else if (found.is === "key" || agreed.peek()) {
      secret.value = { passphrase: given, hd: false };
    } else {
      error.value = found.is === "misspelt" ? found.why : "";
    }
  });
  if (secret.value) {
    return <NewPassword secret={secret.value} done="Restore the wallet" back={() => (secret.value = null)} />;
  }
  const change = (given: string) => {
    text.value = given;
    error.value = "";
    reading.value = "mnemonic";
    agreed.value = false;
  };
  const agree = (
    <Check checked={agreed.value} onCheck={(checked) => (agreed.value = checked)}>
      Use it as it is
    </Check>
  );
  return (
    <>
      <Form onSubmit={() => void task.run()}>
        <Title text="Restore a wallet" />
        <Area label="Recovery phrase or passphrase" rows={4} value={text.value} onText={change} error={error.value} hint="12 to 24 words with spaces between them, a private key (WIF, or 0x and 64 hexadecimal digits), or the passphrase of a Komodo wallet." autoFocus />
        {reading.value === "other" && (
          <>
            <p role="alert">
              <strong>This is not a recovery phrase.</strong> As a passphrase, it is used letter by letter{/^\s|\s$/.test(text.value) ? ", with the space at its beginning or end" : ""}. Anyone who guesses it can take your coins.
            </p>
            {agree}
          </>
        )}
        {reading.value === "misspelt" && (
          <details>
            <summary>Use this text anyway</summary>
            <p>This text is not a recovery phrase and is used letter by letter. A different spelling opens a different wallet.</p>
            {agree}
          </details>
        )}
        {reading.value === "mnemonic" && (
          <details>
            <summary>For words of older Komodo wallets</summary>
            <Check checked={oneKey.value} onCheck={(checked) => (oneKey.value = checked)}>
              One key for all coins, made of the words as a text. Other wallets, such as Keplr, show other addresses for the same words then.
            </Check>
          </details>
        )}
        <Fault error={task.error.value} />
        <div class="actions">
          <Button busy={task.busy.value} disabled={reading.value === "other" && !agreed.value}>
            Continue
          </Button>
          <button type="button" class="secondary" onClick={back}>
            Back
          </button>
        </div>
      </Form>
      <ImportFile onSecret={(found) => (secret.value = found)} />
    </>
  );
}

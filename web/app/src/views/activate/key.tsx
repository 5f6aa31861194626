import type { Family } from "../../coins/catalog.ts";
import { Check } from "../../ui/check.tsx";
import { Field } from "../../ui/field.tsx";

interface Properties {
  family: Family;
  /** Whether there is a choice. */
  offered: boolean;
  external: boolean;
  onExternal: (external: boolean) => void;
  api: string;
  onApi: (api: string) => void;
}

/** The wallets of browsers, for coins of each family. */
const wallets = { cosmos: "Keplr", evm: "A wallet such as MetaMask" };

/** Whose key a coin uses. */
export function Key({ family, offered, external, onExternal, api, onApi }: Properties) {
  return (
    <>
      {offered && (
        <fieldset class="column">
          <legend>Key</legend>
          <Check name="key" checked={!external} onCheck={() => onExternal(false)}>
            This wallet's own
          </Check>
          <Check name="key" checked={external} onCheck={() => onExternal(true)}>
            {wallets[family]} <small>{family === "evm" ? "It has the key, and asks you before it signs and sends" : "Your wallet has the key and asks you before it signs"}</small>
          </Check>
        </fieldset>
      )}
      {external && family === "cosmos" && (
        <details>
          <summary>If Keplr does not know this chain</summary>
          <Field label="REST address of a server" hint="Keplr adds the chain with this address and the first one above." type="url" value={api} onText={onApi} />
        </details>
      )}
    </>
  );
}

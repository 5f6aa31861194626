import { addressFault } from "../../coins/reasons.ts";
import type { Services } from "../../coins/remembered.ts";
import { connection } from "../../node.ts";
import { Check } from "../../ui/check.tsx";
import { Field } from "../../ui/field.tsx";

/** What is wrong with the address of an indexer; "" if nothing is. */
export const indexerFault = ({ indexer, antispam }: Services, inPage: boolean): string => (indexer.trim() === "" ? "The node needs it to list NFTs." : addressFault(indexer, inPage) || addressFault(antispam, inPage));

interface Properties {
  services: Services;
  onServices: (services: Services) => void;
  /** The form was sent off: what is wrong is said. */
  asked: boolean;
  /** Without a service against spam it cannot be done. */
  both?: boolean;
}

/** Where NFTs are looked up. */
export function ServiceFields({ services, onServices, asked, both = false }: Properties) {
  const inPage = connection.value?.kind === "page";
  const { indexer, antispam, signed } = services;
  return (
    <fieldset class="column">
      <legend>Services for NFTs</legend>
      <p>
        <small>
          They see your address, and tell what it holds: take ones that you trust. They answer as Moralis and the anti-spam service of Komodo DeFi Framework do.{" "}
          {inPage && "The node in this page can only use services that allow web pages (CORS)."}
        </small>
      </p>
      <Field
        label="Indexer"
        type="url"
        placeholder="https://"
        hint="It lists the NFTs of an address."
        value={indexer}
        onText={(text) => onServices({ ...services, indexer: text.trim() })}
        error={asked ? (indexer === "" ? "The node needs it to list NFTs." : addressFault(indexer, inPage)) : ""}
      />
      <Field
        label="Anti-spam service"
        type="url"
        placeholder="https://"
        hint={both ? "It knows malicious contracts and domains." : "It knows malicious contracts and domains. You can add it later; refreshing NFTs needs it."}
        value={antispam}
        onText={(text) => onServices({ ...services, antispam: text.trim() })}
        error={asked ? (both && antispam === "" ? "NFTs cannot be refreshed without it." : addressFault(antispam, inPage)) : ""}
      />
      <Check checked={signed} onCheck={(on) => onServices({ ...services, signed: on })}>
        Sign the requests <small>For services behind a Komodo DeFi proxy, which identifies nodes</small>
      </Check>
    </fieldset>
  );
}

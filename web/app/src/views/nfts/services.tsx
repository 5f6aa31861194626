import { addressFault } from "../../coins/reasons.ts";
import type { Services } from "../../coins/remembered.ts";
import { t } from "../../language.ts";
import { connection } from "../../node.ts";
import { Check } from "../../ui/check.tsx";
import { Field } from "../../ui/field.tsx";
import { rich } from "../../ui/rich.tsx";

/** Returns what is wrong with the address of an indexer; "" if nothing. */
export const indexerFault = ({ indexer, antispam }: Services, inPage: boolean): string => (indexer.trim() === "" ? t("nft.needed") : addressFault(indexer, inPage) || addressFault(antispam, inPage));

interface Properties {
  services: Services;
  onServices: (services: Services) => void;
  /** Whether the form was submitted and errors are displayed. */
  asked: boolean;
  /** Whether a spam filter service is required. */
  both?: boolean;
}

/** Fields for the services that NFTs are looked up at. */
export function ServiceFields({ services, onServices, asked, both = false }: Properties) {
  const inPage = connection.value?.kind === "page";
  const { indexer, antispam, signed } = services;
  return (
    <fieldset class="column">
      <legend>{t("nft.servicesfor")}</legend>
      <p>
        <small>
          {t("nft.servicesabout", { inpage: inPage ? t("nft.cors") : "" })}
        </small>
      </p>
      <Field
        label={t("nft.indexer")}
        type="url"
        placeholder="https://"
        hint={t("nft.indexerhint")}
        value={indexer}
        onText={(text) => onServices({ ...services, indexer: text.trim() })}
        error={asked ? (indexer === "" ? t("nft.needed") : addressFault(indexer, inPage)) : ""}
      />
      <Field
        label={t("nft.antispam")}
        type="url"
        placeholder="https://"
        hint={both ? t("nft.antispamhint") : t("nft.antispamlater")}
        value={antispam}
        onText={(text) => onServices({ ...services, antispam: text.trim() })}
        error={asked ? (both && antispam === "" ? t("nft.antispamneeded") : addressFault(antispam, inPage)) : ""}
      />
      <Check checked={signed} onCheck={(on) => onServices({ ...services, signed: on })}>
        {rich("nft.sign", { small: <small>{t("nft.signabout")}</small> })}
      </Check>
    </fieldset>
  );
}

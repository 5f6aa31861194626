import { t } from "../language.ts";
import { connection } from "../node.ts";
import { href } from "../route.ts";
import { profile } from "../session/session.ts";
import { Title } from "../ui/title.tsx";
import { About } from "./settings/about.tsx";
import { Appearance } from "./settings/appearance.tsx";
import { Contacts } from "./settings/contacts.tsx";
import { Data } from "./settings/data.tsx";
import { Locking } from "./settings/locking.tsx";
import { Privacy } from "./settings/privacy.tsx";
import { NodeChoice } from "./settings/nodechoice.tsx";
import { Sites } from "./settings/sites.tsx";
import { WalletConnect } from "./settings/walletconnect.tsx";
import { Wipe } from "./settings/wipe.tsx";
import { Words } from "./settings/words.tsx";
import "./settings.css";

/** The settings of the page and its data in this browser. */
export default function Settings() {
  const { use, page } = profile.value ?? {};
  return (
    <>
      <Title text={t("nav.settings")} />
      <Appearance />
      {connection.value && <Contacts />}
      <Privacy />
      <Locking />
      {use === "page" && page?.kind === "passphrase" && <Words />}
      <NodeChoice />
      {connection.value?.page && <Sites />}
      <WalletConnect />
      {connection.value?.page && <Data />}
      {connection.value && <About />}
      <section class="settings">
        <h2>{t("nav.developer")}</h2>
        <p>
          <a href={href("developer")}>{t("settings.developer")}</a>
        </p>
      </section>
      <Wipe />
    </>
  );
}

import { t } from "../language.ts";
import { connection } from "../node.ts";
import { href, route } from "../route.ts";
import { rich } from "../ui/rich.tsx";
import { Title } from "../ui/title.tsx";
import { Create } from "./tokens/create.tsx";
import { Decode } from "./tokens/decode.tsx";
import { List } from "./tokens/list.tsx";
import { Move } from "./tokens/move.tsx";
import { Token } from "./tokens/token.tsx";
import "./tokens.css";

/** Tokens of the daemon API: the list, or the page that the address names: create, decode, or a token's id with an action. */
export default function Tokens() {
  return <div class="tokens">{content()}</div>;
}

function content() {
  if (!connection.value?.hasDaemon) {
    return <NoDaemon />;
  }
  const [what = "", how] = route.value.args;
  switch (what) {
    case "":
      return <List />;
    case "create":
      return <Create />;
    case "decode":
      return <Decode key={how} txid={how ?? ""} />;
    default:
      return how === "transfer" || how === "burn" ? <Move key={`${what} ${how}`} id={what} burn={how === "burn"} /> : <Token key={what} id={what} />;
  }
}

function NoDaemon() {
  return (
    <>
      <Title text={t("tokens.title")} />
      <p>{t("tokens.noport")}</p>
      <p>
        {rich("tokens.connect", { link: <a href={href("settings")}>{t("tokens.connectlink")}</a> })}
      </p>
    </>
  );
}

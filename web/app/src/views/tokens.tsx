import { connection } from "../node.ts";
import { href, route } from "../route.ts";
import { Title } from "../ui/title.tsx";
import { Create } from "./tokens/create.tsx";
import { Decode } from "./tokens/decode.tsx";
import { List } from "./tokens/list.tsx";
import { Move } from "./tokens/move.tsx";
import { Token } from "./tokens/token.tsx";
import "./tokens.css";

/** Tokens of interface A: the list, or what the address names: create, decode, an id, and what to do with it. */
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
      <Title text="Tokens" />
      <p>Tokens use another port of the node, interface A, with its own password. This page does not have it.</p>
      <p>
        <a href={href("settings")}>Connect to the node again in the settings</a> and give the password there, below “Tokens (interface A)”, or use the node in this page.
      </p>
    </>
  );
}

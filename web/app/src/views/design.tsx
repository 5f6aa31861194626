/** All components and their states in both themes, at ?design: an overview for writing views. */

import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Logo } from "../coins/logo.tsx";
import { loadDirectory } from "../coins/directory.ts";
import { t, type Text } from "../language.ts";
import { Address } from "../ui/address.tsx";
import { Amount } from "../ui/amount.tsx";
import { Brand } from "../ui/brand.tsx";
import { Button } from "../ui/button.tsx";
import { Check } from "../ui/check.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Fact } from "../ui/fact.tsx";
import { Fault } from "../ui/fault.tsx";
import { Area, Choice, Field } from "../ui/field.tsx";
import { Icon, icons } from "../ui/icon.tsx";
import { Outside } from "../ui/outside.tsx";
import { Password } from "../ui/password.tsx";
import { Progress } from "../ui/progress.tsx";
import { Dots, Short } from "../ui/short.tsx";
import { ShortAddress } from "../ui/shortaddress.tsx";
import { Title } from "../ui/title.tsx";
import { Toasts, toast } from "../ui/toast.tsx";
import { Said } from "../words.ts";
import { Change } from "./home/summary.tsx";
import "../coins/coins.css";
import "./home.css";
import "./design.css";

const THEMES = { light: "design.light", dark: "design.dark" } as const;
type Theme = keyof typeof THEMES;
const COSMOS = "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4";
const EVM = "0x7C1B02B575545d4F24243C229bC9a5ef1649b346";
const COLOURS = ["--pico-background-color", "--raised", "--quiet", "--pico-primary", "--pico-secondary-background", "--good", "--bad", "--bad-background", "--warn-background", "--pico-muted-color"];
const SIZES = ["2.25rem", "1.75rem", "1.5rem", "1.125rem", "1rem", "0.875rem", "0.75rem"];

void loadDirectory().catch(() => {}); // without the directory, names and logos follow from the tickers

export default function Design() {
  return (
    <div class="design">
      <header>
        <Brand />
      </header>
      <main id="main">
        <Title text={t("design.title")} />
        <p>{t("design.about")}</p>
        <div class="sheets">
          {(Object.keys(THEMES) as Theme[]).map((theme) => (
            <section key={theme} class="sheet" data-theme={theme} aria-label={t(THEMES[theme])}>
              <h2>{t(THEMES[theme])}</h2>
              <Basics />
              <Buttons />
              <Fields theme={theme} />
              <States theme={theme} />
              <Values />
              <Cards />
            </section>
          ))}
        </div>
      </main>
      <Toasts />
    </div>
  );
}

function Part({ name, children }: { name: Text; children: ComponentChildren }) {
  return (
    <div class="part">
      <h3>{t(name)}</h3>
      {children}
    </div>
  );
}

function Basics() {
  return (
    <>
      <Part name="design.colours">
        <ul class="swatches">
          {COLOURS.map((name) => (
            <li key={name}>
              <svg viewBox="0 0 40 24" aria-hidden="true">
                <rect width="40" height="24" rx="6" fill={`var(${name})`} />
              </svg>
              <small translate={false}>{name.replace(/^--(pico-)?/, "")}</small>
            </li>
          ))}
        </ul>
      </Part>
      <Part name="design.type">
        {SIZES.map((size) => (
          <svg key={size} class="type" role="img" aria-label={size}>
            <text x="0" y="75%" fill="currentColor" font-size={size}>
              {t("design.sample")} {size}
            </text>
          </svg>
        ))}
      </Part>
      <Part name="design.icons">
        <p class="icons">
          {icons.map((name) => (
            <Icon key={name} name={name} />
          ))}
        </p>
      </Part>
    </>
  );
}

function Buttons() {
  return (
    <Part name="design.buttons">
      <div class="actions">
        <Button type="button">{t("view.send")}</Button>
        <Button type="button" class="secondary">
          {t("cancel")}
        </Button>
        <Button type="button" class="danger">
          {t("design.delete")}
        </Button>
        <button type="button" class="quiet">
          {t("again")}
        </button>
        <Button type="button" busy>
          {t("design.busy")}
        </Button>
        <Button type="button" disabled>
          {t("design.disabled")}
        </Button>
        <button type="button" class="quiet withicon">
          <Icon name="person" />
          {t("design.withicon")}
        </button>
        <button type="button" class="icononly" aria-label={t("close")}>
          <Icon name="close" />
        </button>
      </div>
      <p class="acts">
        <a class="act" href="#/send">
          <Icon name="send" />
          {t("view.send")}
        </a>
        <a class="act" href="#/receive">
          <Icon name="receive" />
          {t("view.receive")}
        </a>
      </p>
      <p>
        <a class="go" href="#/add">
          {t("home.add")}
        </a>
      </p>
      <p>
        <Outside href="https://example.org/">{t("explorer")}</Outside>
      </p>
    </Part>
  );
}

const password = signal("");
const none = () => {};

function Fields({ theme }: { theme: Theme }) {
  const text = useSignal("");
  return (
    <Part name="design.fields">
      <Field label={t("design.empty")} hint={t("design.hint")} value={text.value} onText={(given) => (text.value = given)} />
      <Field label={t("design.wrong")} value="1,2,3" error={t("design.error")} onText={none} />
      <Field
        label={t("design.after")}
        value="1.5"
        onText={none}
        after={
          <button type="button" class="quiet">
            USD
          </button>
        }
      />
      <Field label={t("design.disabled")} value="ATOM" disabled />
      <Password label={t(theme === "light" ? "design.password" : "design.passwordtoo")} text={password} user={null} />
      <Choice label={t("design.choice")} value="ATOM" onText={none}>
        <option value="ATOM">ATOM</option>
        <option value="ETH">ETH</option>
      </Choice>
      <Area label={t("design.area")} rows={2} value="" onText={none} />
      <fieldset>
        <legend>{t("design.choice")}</legend>
        <Check name={`design-${theme}`} checked onCheck={none}>
          12
        </Check>
        <Check name={`design-${theme}`} checked={false} onCheck={none}>
          24
        </Check>
      </fieldset>
      <Check checked onCheck={none}>
        {t("design.check")} <small>{t("design.hint")}</small>
      </Check>
      <Check checked={false} disabled onCheck={none}>
        {t("design.disabled")}
      </Check>
    </Part>
  );
}

function States({ theme }: { theme: Theme }) {
  const open = useSignal<"" | "dialog" | "side">("");
  return (
    <>
      <Part name="design.errors">
        <Fault error={new Said(t("design.what"), t("design.todo"), new Error("dial tcp 127.0.0.1:26657"))} retry={none} />
        <p class="note warn">{t("design.warning")}</p>
        <p class="note">{t("design.note")}</p>
      </Part>
      <Part name="design.nothing">
        <div class="empty">
          <Icon name="add" />
          <p>{t("home.empty")}</p>
          <a class="go" href="#/add">
            {t("home.add")}
          </a>
        </div>
      </Part>
      <Part name="design.loading">
        <Progress label={t("design.unknown")} />
        <Progress label={t("setup.progress", { done: 2, of: 5 })} done={2} of={5} />
        <ul class="coins">
          <li class="coin skeleton" aria-hidden="true">
            <span class="row">
              <span class="logo bone" />
              <span class="bone line" />
              <span class="bone line" />
            </span>
          </li>
        </ul>
      </Part>
      <Part name="design.over">
        <div class="toasts">
          <p>{t("design.toast")}</p>
        </div>
        <div class="actions">
          <button type="button" class="secondary" onClick={() => toast(t("design.toast"))} aria-label={`${t("design.showtoast")}, ${t(THEMES[theme])}`}>
            {t("design.showtoast")}
          </button>
          <button type="button" class="secondary" onClick={() => (open.value = "dialog")} aria-label={`${t("design.dialog")}, ${t(THEMES[theme])}`}>
            {t("design.dialog")}
          </button>
          <button type="button" class="secondary" onClick={() => (open.value = "side")} aria-label={`${t("design.side")}, ${t(THEMES[theme])}`}>
            {t("design.side")}
          </button>
        </div>
        {open.value && (
          <Dialog title={t("design.question")} side={open.value === "side"} onClose={() => (open.value = "")}>
            <p>{t("design.consequence")}</p>
            <div class="actions">
              <button type="button" class="danger">
                {t("design.delete")}
              </button>
              <button type="button" class="secondary" onClick={() => (open.value = "")}>
                {t("cancel")}
              </button>
            </div>
          </Dialog>
        )}
      </Part>
    </>
  );
}

function Values() {
  return (
    <>
      <Part name="design.amounts">
        <dl>
          <Fact name={t("design.exact")}>
            <Amount value="1234567.890123456789012345" unit="ETH" />
          </Fact>
          <Fact name={t("design.short")}>
            <Short value="1234567.890123456789012345" unit="ETH" />
          </Fact>
          <Fact name={t("design.unknownamount")}>
            <Amount value={null} />
          </Fact>
          <Fact name={t("amount.hidden")}>
            <Dots />
          </Fact>
          <Fact name={t("design.change")}>
            <Change part={0.025} text={t("home.day")} /> <Change part={-0.0125} text={t("home.day")} />
          </Fact>
        </dl>
      </Part>
      <Part name="design.addresses">
        <p>
          <Address value={COSMOS} />
        </p>
        <p>
          <Address value={EVM} copy={false} />
        </p>
        <p>
          <ShortAddress value={EVM} />
        </p>
        <p>
          <span class="network">Cosmos, cosmoshub-4</span>
        </p>
      </Part>
    </>
  );
}

function Cards() {
  return (
    <Part name="design.cards">
      <div class="summary">
        <div>
          <p class="total">$9,455.89</p>
          <p class="under">
            <Change part={0.0036} text={t("home.day")} />
          </p>
        </div>
      </div>
      <ul class="coins">
        {["ATOM", "USDC-ERC20", "NOLOGO"].map((ticker) => (
          <li key={ticker} class="coin">
            <span class="row">
              <Logo ticker={ticker} />
              <span class="names">
                <strong>{ticker}</strong>
                <small>{t("design.hint")}</small>
              </span>
              <span class="held">
                <Short value="993.4998" unit="ATOM" />
                <small class="worth">
                  $4,480.68 <Change part={-0.0125} />
                </small>
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

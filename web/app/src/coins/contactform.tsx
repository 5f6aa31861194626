import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { t } from "../language.ts";
import { Address } from "../ui/address.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { afterRender } from "../ui/focus.ts";
import { Form } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { toast } from "../ui/toast.tsx";
import { contactFaults, contactOf, keepContact, MAX_NAME, type Contact, type ContactFaults } from "./contacts.ts";
import { phraseFault } from "./phrase.ts";

/**
 * A form that adds or changes a contact.
 * @param contact the contact to change; null to add one
 * @param address the address of a new contact, which cannot be edited
 */
export function ContactDialog({ contact, address = "", onClose }: { contact: Contact | null; address?: string; onClose: () => void }) {
  const name = useSignal(contact?.name ?? "");
  const at = useSignal(contact?.address ?? address);
  const faults = useSignal<ContactFaults>({});
  const before = contact?.address ?? "";
  const secret = useSignal("");
  const save = async () => {
    secret.value = await phraseFault(name.peek());
    if (secret.peek() !== "") {
      return;
    }
    faults.value = contactFaults(name.peek(), at.peek(), before);
    if (Object.keys(faults.peek()).length > 0) {
      afterRender(() => document.querySelector<HTMLElement>('dialog .contact [aria-invalid="true"]')?.focus());
      return;
    }
    keepContact(name.peek(), at.peek(), before);
    toast(t("contacts.saved", { name: name.peek().trim() }));
    onClose();
  };
  const said = (field: "name" | "address") => (field === "name" && secret.value !== "" ? secret.value : faults.value[field] ? t(faults.value[field], { count: MAX_NAME }) : "");
  return (
    <Dialog title={t(contact ? "contacts.edit" : "contacts.add")} onClose={onClose}>
      <div class="contact">
        <Form onSubmit={() => void save()}>
          <Field label={t("contacts.name")} name="contact" value={name.value} onText={(text) => (name.value = text)} error={said("name")} required />
          {address !== "" && !said("address") ? (
            <p>
              <Address value={address} copy={false} />
            </p>
          ) : (
            <Field label={t("contacts.address")} name="address" hint={t("contacts.hint")} value={at.value} onText={(text) => (at.value = text)} error={said("address")} required />
          )}
          <div class="actions">
            <button type="submit">{t("save")}</button>
            <button type="button" class="secondary" onClick={onClose}>
              {t("cancel")}
            </button>
          </div>
        </Form>
      </div>
    </Dialog>
  );
}

/** An address with its contact name, or with a button that adds it to the contacts; one of the user's own addresses has neither. */
export function Who({ address, mine, children }: { address: string; mine: boolean; children: ComponentChildren }) {
  const open = useSignal(false);
  const contact = mine ? null : contactOf(address);
  return (
    <>
      {contact && <strong class="who"><bdi>{contact.name}</bdi></strong>} {children}{" "}
      {!contact && !mine && (
        <button type="button" class="quiet withicon" onClick={() => (open.value = true)} aria-label={t("contacts.addaddress", { address })}>
          <Icon name="person" />
          {t("contacts.add")}
        </button>
      )}
      {open.value && <ContactDialog contact={null} address={address} onClose={() => (open.value = false)} />}
    </>
  );
}

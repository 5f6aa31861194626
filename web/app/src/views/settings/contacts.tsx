import { useSignal } from "@preact/signals";
import { ContactDialog } from "../../coins/contactform.tsx";
import { contacts, removeContact, type Contact } from "../../coins/contacts.ts";
import { t } from "../../language.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ShortAddress } from "../../ui/shortaddress.tsx";
import { toast } from "../../ui/toast.tsx";

/** The address book. */
export function Contacts() {
  const edited = useSignal<Contact | "new" | null>(null);
  const removed = useSignal<Contact | null>(null);
  return (
    <section class="settings">
      <h2>{t("contacts.title")}</h2>
      <p>{t(contacts.value.length === 0 ? "contacts.none" : "contacts.about")}</p>
      <ul class="sites contacts">
        {contacts.value.map((contact) => (
          <li key={contact.address}>
            <span>
              <strong><bdi>{contact.name}</bdi></strong>
              <small>{t(contact.family === "evm" ? "contacts.evm" : "contacts.cosmos")}</small>
              <ShortAddress value={contact.address} what={t("contacts.addressof", { name: contact.name })} />
            </span>
            <button type="button" class="quiet" onClick={() => (edited.value = contact)} aria-label={t("contacts.editone", { name: contact.name })}>
              {t("edit")}
            </button>
            <button type="button" class="quiet" onClick={() => (removed.value = contact)} aria-label={t("contacts.removeone", { name: contact.name })}>
              {t("remove")}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="secondary" onClick={() => (edited.value = "new")}>
        {t("contacts.add")}
      </button>
      {edited.value && <ContactDialog contact={edited.value === "new" ? null : edited.value} onClose={() => (edited.value = null)} />}
      {removed.value && <Remove contact={removed.value} onClose={() => (removed.value = null)} />}
    </section>
  );
}

function Remove({ contact: { name, address }, onClose }: { contact: Contact; onClose: () => void }) {
  const remove = () => {
    removeContact(address);
    toast(t("contacts.removed", { name }));
    onClose();
  };
  return (
    <Dialog title={t("contacts.removeone", { name })} onClose={onClose}>
      <p>{t("contacts.loss")}</p>
      <div class="actions">
        <button type="button" class="danger" onClick={remove}>
          {t("remove")}
        </button>
        <button type="button" class="secondary" onClick={onClose}>
          {t("cancel")}
        </button>
      </div>
    </Dialog>
  );
}

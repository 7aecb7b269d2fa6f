import { codeFault, digitsOf, Fault, named } from "../lib/cards";
import { Bag } from "../lib/wire";
import { make, newID, say, set } from "./dom";
import { codeField, Field, Listener } from "./fields";
import { mark } from "./marks";

// Saved cards, as the payer chooses among them.

export interface Saved {
  token: string;
  id: string;
  network: string;
  last4: string;
  month: string;
  year: string;
  nickname: string;
  expired: boolean;
  isDefault: boolean;
  needsCode: boolean;
  charged: boolean; // the shop may charge it without the customer
  used: string;
  address: string;
}

export function savedOf(m: any): Saved {
  const card = m.payment_method_data?.card || m.card || {}, at = m.billing?.address || {};
  return { token: m.payment_token, id: m.payment_method_id || "", network: card.card_network || card.scheme || "", last4: card.last4_digits || "", month: card.expiry_month || "",
    year: card.expiry_year || "", nickname: card.nick_name || "", expired: !!card.expired, isDefault: !!m.default_payment_method_set,
    needsCode: !!m.requires_cvv, charged: !!m.recurring_enabled, used: m.last_used_at || m.created || "",
    address: [at.line1, at.line2, at.zip, at.city, at.state, at.country].filter(Boolean).join(", ") };
}

// inOrder puts the default first, then the card used last; expired ones come last.
export const inOrder = (list: Saved[]) => [...list].sort((a, b) =>
  +a.expired - +b.expired || +b.isDefault - +a.isDefault || (a.used < b.used ? 1 : a.used > b.used ? -1 : 0));

const words = (s: Saved) => named(s.network).word || s.network;

// cardLine is what a payer sees of a saved card.
export function cardLine(s: Saved, o: Bag): HTMLElement[] {
  const star = o.displayDefaultSavedPaymentIcon !== false && s.isDefault, hides = !s.expired && o.layout?.savedMethodCustomization?.hideCardExpiry === true;
  const ends = make("span", { class: "ends" }, make("span", { class: "hidden" }, say("saved_card", words(s), s.last4)),
    make("span", { "aria-hidden": true }, words(s) + " "), make("bdi", { "aria-hidden": true, dir: "ltr" }, "•••• " + s.last4));
  const expiry = s.month + "/" + s.year.slice(-2);
  const parts = [s.nickname && make("bdi", {}, s.nickname), s.expired ? make("b", { class: "past" }, say("expired")) : !hides && say("expires", expiry), star && say("default")];
  const small = make("span", { class: "small" }, ...parts.filter(Boolean).flatMap((p, i) => (i ? [" · ", p] : [p])));
  return [make("span", { class: "pick" }, mark(s.network)), make("span", { class: "lines" }, ends, small,
    o.displayBillingDetails && s.address && make("bdi", { class: "small" }, s.address))];
}

export interface SavedList {
  root: HTMLElement;
  chosen(): Saved | undefined; // undefined: another card
  open(): boolean; // nothing is chosen yet
  ask(): void; // says that the payer must choose
  code(): string;
  field(): Field | undefined;
  fault(): Fault;
  clear(): void;
  disable(off: boolean): void;
}

export function savedList(l: Listener, list: Saved[], o: Bag, most: number, turn: () => void): SavedList {
  const name = newID(), title = newID(), error = make("p", { class: "Error", role: "alert", hidden: true });
  let open = o.layout?.defaultCollapsed === true || o.layout?.savedMethodCustomization?.defaultCollapsed === true;
  let chosen: Saved | undefined = open ? undefined : list.find((s) => !s.expired);
  let code: (Field & { look(): void }) | undefined;
  const fields: HTMLFieldSetElement = make("fieldset", { class: "saved" }, make("legend", { id: title }, o.savedPaymentMethodsHeaderText || say("saved")));
  const rows: { row: HTMLElement; radio: HTMLInputElement; card?: Saved }[] = [];
  const look = () => {
    code = undefined;
    for (const r of rows) {
      r.row.querySelector(".inline")?.remove();
      r.row.classList.toggle("PickerItem--selected", r.radio.checked);
      if (r.radio.checked && r.card?.needsCode) {
        const of = r.card;
        code = codeField(l, () => named(of.network));
        r.row.append(make("div", { class: "inline" }, code.root));
      }
    }
  };
  const add = (card: Saved | undefined, inner: (Node | string)[]) => {
    const radio = make("input", { type: "radio", name, checked: card ? card === chosen : !chosen && !open, disabled: card?.expired });
    const row = make("div", { class: "PickerItem" + (card?.expired ? " off" : "") }, make("label", {}, radio, ...inner));
    radio.addEventListener("change", () => {
      chosen = card;
      open = false;
      error.hidden = true;
      look();
      turn();
      l.changed();
    });
    rows.push({ row, radio, card });
    fields.append(row);
    return row;
  };
  list.forEach((s, i) => {
    const row = add(s, cardLine(s, o));
    if (i >= most) row.hidden = true;
  });
  if (list.length > most) {
    const more = make("button", { type: "button", class: "link" }, say("more"));
    more.onclick = () => {
      rows.forEach((r) => { r.row.hidden = false; });
      rows[most].radio.focus();
      more.remove();
      turn();
    };
    fields.append(more);
  }
  add(undefined, [make("span", { class: "pick" }, mark("")), make("span", { class: "lines" }, say("new"))]);
  fields.append(error);
  look();
  return {
    root: fields, chosen: () => chosen, field: () => code, open: () => open,
    ask() {
      error.textContent = say("err_choose");
      error.hidden = false;
      rows.find((r) => !r.radio.disabled)?.radio.focus();
    },
    code: () => (code ? digitsOf(code.input.value) : ""),
    fault: () => (code ? codeFault(digitsOf(code.input.value), named(chosen!.network)) : undefined),
    clear: () => code?.clear(),
    disable(off) {
      for (const r of rows) r.radio.disabled = off || !!r.card?.expired;
      code?.disable(off);
      set(fields, { "aria-disabled": off });
    },
  };
}

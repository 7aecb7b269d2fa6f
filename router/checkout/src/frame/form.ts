import { Fault, Network, named } from "../lib/cards";
import { Bag } from "../lib/wire";
import { countryOptions } from "./countries";
import { asks, consents, Facts } from "./consent";
import { make, newID, say } from "./dom";
import { codeField, expiryField, Field, field, Listener, nameFault, NumberField, numberField } from "./fields";
import { asksFor, inner } from "./options";
import { inOrder, savedList, SavedList, savedOf } from "./saved";

// The form of the elements payment and card: saved cards, a new card, what else the shop's processor wants, and the payer's consent.

export interface Form {
  root: HTMLElement;
  state(): { complete: boolean; empty: boolean; brand: string };
  bin(): string;
  last4(): string;
  network(): string;
  chosenSaved(): boolean;
  body(): Bag | undefined; // of the confirm; undefined after a fault was shown and focused
  clearCode(): void;
  clear(): void;
  disable(off: boolean): void;
  focus(): void;
  offer(list: string[]): void; // the networks of a co-badged card
  split?: () => { expiry?: { month: string; year: string }; code?: string };
}

// fillers are the text of a field, and what browsers fill it with, by the end of its path.
const fillers: { [ending: string]: [key: string, fill: string] } = {
  "address.line1": ["line1", "address-line1"], "address.line2": ["line2", "address-line2"], "address.city": ["city", "address-level2"],
  "address.state": ["state", "address-level1"], "address.zip": ["postcode", "postal-code"], email: ["email", "email"], "phone.number": ["phone", "tel-national"],
  "phone.country_code": ["dial", "tel-country-code"],
};

// part is the half of a name that a path asks for: what stands before the first space, or what follows it.
function part(path: string, v: string): string {
  const at = v.indexOf(" ");
  return path.endsWith("first_name") ? (at < 0 ? v : v.slice(0, at)) : path.endsWith("last_name") ? v.slice(at + 1) : v;
}

// put writes a value at a path such as payment_method_data.billing.address.zip.
export function put(into: Bag, path: string, value: unknown) {
  const keys = path.split(".");
  let at = into;
  for (const key of keys.slice(0, -1)) at = at[key] ||= {};
  at[keys[keys.length - 1]] = value;
}

export function newForm(l: Listener, type: string, data: any, o: Bag, resized: () => void, grown: (digits: string) => void): Form {
  const intent = data.intent_data || {}, offers: any[] = (data.payment_methods_enabled || []).filter((m: any) => m.payment_method === "card");
  const taken = [...new Set(offers.flatMap((m) => (m.card_networks || []).map((n: any) => n.card_network)))] as string[];
  const facts = (): Facts => ({ option: type === "payment" && o.displaySavedPaymentMethodsCheckbox !== false, guest: !!intent.is_guest_customer, mandate: !!intent.mandate_payment,
    type: intent.payment_type || "normal", ticked: tick.checked, always: !!o.alwaysSendCustomerAcceptance });

  const number: NumberField = numberField(l, () => expiry.input.focus(), (digits) => { code.look(); grown(digits); });
  number.offered = taken;
  const expiry = expiryField(l, () => data.collect || code.input.focus());
  const code = codeField(l, () => number.network());
  const extras: { f: Field; paths: string[] }[] = [], unasked: { path: string; value: string }[] = [];
  const own = inner(o.billingAddress), prefilled = own.usePrefilledValues !== "never";
  const details = prefilled ? inner(o.defaultValues?.billingDetails) : {}, known = prefilled ? inner(inner(intent.billing).address) : {};
  addAsked();

  const tick = make("input", { type: "checkbox", class: "CheckboxInput", checked: !!o.savedPaymentMethodsCheckboxCheckedByDefault });
  const nickname = field(l, { key: "nickname", label: say("nickname"), fault: () => undefined, attributes: { autocomplete: "off", maxlength: 40 } });
  const tickRow = make("label", { class: "Checkbox" }, tick, make("span", { class: "CheckboxLabel" }, say("save")));
  const terms = make("p", { class: "TermsTextLabel" });
  const networks = make("fieldset", { class: "networks", hidden: true }, make("legend", {}, say("network")));
  const row = make("div", { class: "row" }, expiry.root, !data.collect && code.root); // a card that is only saved keeps no code
  const fresh = make("div", { class: "fresh Block" }, number.root, ...(type === "cardNumber" ? [networks]
    : [row, networks, ...extras.map((e) => e.f.root), tickRow, nickname.root, terms]));
  const root = make("div", { class: "form" });
  let list: SavedList | undefined, chosenNetwork = "", busy = false;

  const cards = inOrder((data.customer_payment_methods || []).filter((m: any) => m.payment_method === "card").map(savedOf))
    .filter((s) => !(s.expired && o.hideExpiredPaymentMethods));
  if (type === "payment" && cards.length && o.displaySavedPaymentMethods !== false) {
    const most = Math.max(1, Number(inner(o.layout.savedMethodCustomization).maxItems || o.layout.maxAccordionItems) || 4);
    list = savedList(l, cards, o, most, look);
    root.append(list.root);
  } else if (o.paymentMethodsHeaderText) root.append(make("h2", {}, o.paymentMethodsHeaderText));
  const alias = (o.customMethodNames || []).find((m: any) => m && ["card", "credit", "debit"].includes(m.paymentMethodName) && typeof m.aliasName === "string");
  if (alias) fresh.prepend(make("h2", {}, alias.aliasName));
  root.append(fresh);
  tick.addEventListener("change", () => { look(); l.changed(); });

  // addAsked adds fields for what the processors need and the payment does not have. First and last name are one field for people.
  function addAsked() {
    const wanted: { [key: string]: string[] } = {}, whole = own.isUseBillingAddress === true && type === "payment";
    if (whole) for (const name of ["first_name", "last_name", "line1", "line2", "zip", "city", "state", "country"]) {
      (wanted[/name/.test(name) ? "name" : "address." + name] ||= []).push("payment_method_data.billing.address." + name);
    }
    const required = new Set<string>();
    for (const m of offers) {
      const fields = m.data?.required_fields || {};
      for (const path in fields) {
        const r = fields[path], send: string = r.required_field;
        if (send.startsWith("payment_method_data.card.") || r.value) continue;
        required.add(send);
        const key = /(first|last)_name$/.test(send) ? "name" : send.replace(/^payment_method_data\./, "").replace(/^(billing|shipping)\./, "");
        (wanted[key] ||= []).push(send);
      }
    }
    for (const key in wanted) {
      const [text, fill] = fillers[key] || [], paths = [...new Set(wanted[key])], name = key.slice(8);
      const at = key === "name" ? details.name : key.startsWith("address.") ? details.address?.[name] ?? details.address?.[name === "zip" ? "postal_code" : ""] ?? known[name] : details[key];
      const value = typeof at === "string" ? at : "";
      if (!asksFor(o, key)) { // the shop has the value itself, or the payment does
        if (value) unasked.push(...paths.map((path) => ({ path, value })));
        continue;
      }
      let f: Field;
      if (key === "name") {
        f = field(l, { key: "name", label: say("name"), fault: nameFault, attributes: { autocomplete: "cc-name", name: "ccname" } });
        f.input.value = value || [known.first_name, known.last_name].filter(Boolean).join(" ");
      } else if (key === "address.country") {
        f = field(l, { key: "country", label: say("country"), options: countryOptions(), attributes: { autocomplete: "country" } });
        f.input.value = value || (prefilled ? (navigator.language.split("-")[1] || "").toUpperCase() : "");
      } else {
        const free = whole && /line2|state/.test(key) && paths.length === 1 && !required.has(paths[0]);
        f = field(l, { key: text || "more", label: text ? say(text) : key, attributes: { autocomplete: fill || "off", inputmode: /email|tel/.exec(fill!)?.[0] },
          fault: free ? () => undefined : undefined });
        f.input.value = value;
      }
      f.root.classList.toggle("filled", !!f.input.value);
      extras.push({ f, paths });
    }
  }

  function look() {
    fresh.hidden = !!list?.chosen() || !!list?.open();
    if (fresh.hidden) clearFresh(); // hidden fields hold nothing
    tickRow.hidden = !asks(facts());
    nickname.root.hidden = tickRow.hidden || !tick.checked || !!o.hideCardNicknameField;
    const always = o.terms?.card === "always" || intent.setup_future_usage === "off_session";
    const keeps = consents(facts()) && (always || facts().type !== "normal");
    terms.hidden = o.terms?.card === "never" || !(o.terms?.card === "always" || keeps);
    terms.textContent = o.customMessageForCardTerms || say("terms", o.business?.name || intent.merchant_name || say("terms_shop"));
    code.look();
    resized();
  }

  function clearFresh() {
    for (const f of [number, expiry, code, nickname]) f.clear();
    offer([]);
  }

  function offer(all: string[]) {
    const of = all.filter((n) => !taken.length || taken.includes(n));
    networks.replaceChildren(networks.firstElementChild!);
    networks.hidden = of.length < 2;
    chosenNetwork = of.length > 1 ? (of.includes(chosenNetwork) ? chosenNetwork : of[0]) : "";
    number.choose(of, chosenNetwork);
    const name = newID();
    if (of.length > 1) for (const n of of) {
      const radio = make("input", { type: "radio", name, checked: n === chosenNetwork, disabled: busy });
      radio.addEventListener("change", () => {
        chosenNetwork = n;
        number.choose(of, n);
        code.look();
        l.changed();
      });
      networks.append(make("label", { class: "Checkbox" }, radio, named(n).word || n));
    }
    resized();
  }

  const asked = (): [Field, Fault][] => {
    const split = form.split?.();
    const own: Field[] = split ? [number] : data.collect ? [number, expiry] : [number, expiry, code];
    return [...own, ...extras.map((e) => e.f)].map((f) => [f, f.fault()]);
  };

  const form: Form = {
    root, offer,
    state() {
      if (list?.open()) return { complete: false, empty: true, brand: "" };
      if (list?.chosen()) return { complete: !list.fault(), empty: false, brand: list.chosen()!.network };
      return { complete: asked().every(([, f]) => !f), empty: !number.input.value && !expiry.input.value && !code.input.value, brand: number.network().name };
    },
    bin: () => number.digits().slice(0, 6),
    last4: () => (number.digits().length > 11 ? number.digits().slice(-4) : ""),
    network: () => number.network().name,
    chosenSaved: () => !!list?.chosen(),
    body() {
      const b: Bag = { payment_method: "card", payment_method_data: {} };
      const saved = list?.chosen();
      if (list?.open()) {
        list.ask();
        resized();
        return undefined;
      }
      if (saved) {
        const fault = list!.fault(), f = list!.field();
        if (fault && f) {
          f.show(fault);
          f.input.focus();
          return undefined;
        }
        b.payment_token = saved.token;
        if (f) b.payment_method_data.card_token = { card_cvc: list!.code() };
        else delete b.payment_method_data;
        return b;
      }
      let first: Field | undefined;
      for (const [f, fault] of asked()) {
        f.show(fault);
        if (fault) first ||= f;
      }
      if (first) {
        first.input.focus();
        return undefined;
      }
      const e = form.split?.().expiry || expiry.expiry() || { month: "", year: "" };
      const name = extras.find((x) => x.f.key === "name")?.f.input.value.trim() || String(details.name || "");
      b.payment_method_data.card = { card_number: number.digits(), card_exp_month: e.month, card_exp_year: e.year,
        card_cvc: data.collect ? undefined : form.split?.().code ?? code.input.value, card_holder_name: name || undefined, card_network: chosenNetwork || number.network().name || undefined,
        nick_name: !nickname.root.hidden && nickname.input.value.trim() ? nickname.input.value.trim() : undefined };
      for (const { f, paths } of extras) {
        const v = f.input.value.trim();
        if (v) for (const path of paths) put(b, path, part(path, v));
      }
      for (const { path, value } of unasked) put(b, path, part(path, value));
      if (consents(facts())) {
        b.customer_acceptance = { acceptance_type: "online", accepted_at: new Date().toISOString(), online: { user_agent: navigator.userAgent } };
        if (!intent.setup_future_usage && facts().ticked && asks(facts())) b.setup_future_usage = "on_session";
      }
      return b;
    },
    clearCode() {
      code.clear();
      list?.clear();
    },
    clear() {
      clearFresh();
      list?.clear();
      for (const e of extras) e.f.clear();
    },
    disable(off) {
      busy = off;
      for (const f of [number, expiry, code, nickname, ...extras.map((e) => e.f)]) f.disable(off);
      tick.disabled = off;
      for (const r of networks.querySelectorAll("input")) r.disabled = off;
      list?.disable(off);
    },
    focus() {
      const first = (which: string) => list!.root.querySelector<HTMLInputElement>(which);
      (list?.open() ? first("input:enabled") : list?.chosen() ? list.field()?.input || first("input:checked") : (asked().find(([, fault]) => fault)?.[0] || number).input)?.focus();
    },
  };

  if (o.readOnly) form.disable(true);
  look();
  return form;
}

export type { Network };

import { codeFault, digitsOf, expiryFault, expiryOf, Fault, grouped, longest, Network, networkOf, named, numberFault, spacedExpiry } from "../lib/cards";
import { make, newID, say, set } from "./dom";
import { mark } from "./marks";

// The fields of the form. A field knows what is wrong with its value; it says so when the payer leaves it, and stops as soon as they type.

export interface Field {
  key: string;
  root: HTMLElement;
  input: HTMLInputElement | HTMLSelectElement;
  fault(): Fault;
  show(f: Fault): void;
  clear(): void;
  disable(off: boolean): void;
}

export interface Listener {
  changed(): void;
  focus(on: boolean, f: Field): void;
  key(e: KeyboardEvent): void;
}

interface Wish {
  key: string;
  label: string;
  attributes?: { [name: string]: any };
  extra?: Node; // in the field, at its end
  hint?: string;
  options?: [string, string][];
  fault?: (v: string) => Fault;
}

// field makes a labelled field whose error is read aloud.
export function field(l: Listener, w: Wish): Field {
  const id = newID(), error = make("p", { class: "Error", id: id + "e", role: "alert", hidden: true });
  const hint = w.hint ? make("span", { class: "hidden", id: id + "h" }, w.hint) : undefined;
  const described = (hint ? id + "h " : "") + id + "e";
  const input = w.options
    ? make("select", { class: "Input", id, "aria-describedby": described, ...w.attributes }, make("option", { value: "" }, document.documentElement.dataset.labels === "never" && w.label), ...w.options.map(([v, t]) => make("option", { value: v }, t)))
    : make("input", { class: "Input", id, type: "text", spellcheck: "false", autocapitalize: "off", autocorrect: "off", placeholder: w.label,
        "aria-describedby": described, ...w.attributes });
  input.classList.toggle("bare", !w.attributes?.placeholder); // the label stands in the field where it stands nowhere else
  const label = make("label", { class: "Label", for: id }, w.label);
  const root = make("div", { class: "field f-" + w.key }, label, make("div", { class: "wrap" }, input, w.extra), hint, error);
  const f: Field = {
    key: w.key, root, input,
    fault: () => (w.fault ? w.fault(input.value) : input.value.trim() ? undefined : ["err_field"]),
    show(fault) {
      error.textContent = fault ? say(...fault) : "";
      error.hidden = !fault;
      set(input, { "aria-invalid": fault ? "true" : undefined });
      input.classList.toggle("Input--invalid", !!fault);
    },
    clear() {
      input.value = "";
      f.show(undefined);
      looks();
    },
    disable(off) { input.disabled = off; },
  };
  const looks = () => {
    input.classList.toggle("Input--empty", !input.value);
    input.classList.toggle("Input--complete", !!input.value && !f.fault());
    root.classList.toggle("filled", !!input.value);
  };
  looks();
  input.addEventListener("input", () => {
    f.show(undefined);
    looks();
    l.changed();
  });
  input.addEventListener("change", () => { looks(); l.changed(); });
  input.addEventListener("focus", () => l.focus(true, f));
  input.addEventListener("blur", (e: any) => {
    l.focus(false, f);
    // The payer may be about to press the shop's button below the form, which must stay under the pointer until then.
    setTimeout(() => input.value && f.show(f.fault()), e.relatedTarget ? 0 : 300);
  });
  input.addEventListener("keydown", (e) => l.key(e as KeyboardEvent));
  return f;
}

// reformat writes the value anew and keeps the caret behind the same digit.
function reformat(input: HTMLInputElement, text: string) {
  if (text === input.value) return;
  const at = input.selectionStart ?? input.value.length, behind = at >= input.value.length;
  let digits = digitsOf(input.value.slice(0, at)).length, to = 0;
  for (; to < text.length && digits > 0; to++) if (text[to] >= "0" && text[to] <= "9") digits--;
  input.value = text;
  if (document.activeElement === input) input.setSelectionRange(behind ? text.length : to, behind ? text.length : to);
}

export interface NumberField extends Field {
  digits(): string;
  network(): Network;
  offered: string[]; // networks that the shop takes; empty: all
  choose(list: string[], chosen?: string): void; // a co-badged card
}

export function numberField(l: Listener, jump: () => void, grown: (digits: string) => void): NumberField {
  const brand = make("span", { class: "InputLogo", "aria-hidden": "true" }), word = make("span", { class: "hidden", "aria-live": "polite" });
  const extra = make("span", { class: "marks" }, brand, word);
  let shown = "-", chosen = "";
  const look = (n: Network) => {
    if (n.name === shown) return;
    shown = n.name;
    brand.replaceChildren(mark(n.name));
    word.textContent = n.word;
  };
  const f = field({ ...l, changed() {
    const input = f.input as HTMLInputElement, digits = digitsOf(input.value).slice(0, 19);
    reformat(input, grouped(digits));
    const n = networkOf(digits);
    if (!chosen) look(n);
    grown(digits);
    if (digits.length >= 6 && n.name && f.offered.length && !f.offered.includes(n.name) && !chosen) f.show(["err_brand", n.word]);
    l.changed();
    if (digits.length === longest(n) && input.selectionStart === input.value.length && !f.fault()) jump();
  } }, { key: "number", label: say("number"), extra, fault: () => numberFault(f.digits(), chosen ? [] : f.offered),
    attributes: { inputmode: "numeric", autocomplete: "cc-number", name: "cardnumber", dir: "ltr", enterkeyhint: "next" } }) as NumberField;
  f.offered = [];
  f.digits = () => digitsOf(f.input.value);
  f.network = () => (named(chosen).name ? named(chosen) : networkOf(f.digits()));
  f.choose = (_, to) => {
    chosen = to || "";
    look(f.network());
  };
  look(networkOf(""));
  return f;
}

export interface ExpiryField extends Field { expiry(): { month: string; year: string } | undefined }

export function expiryField(l: Listener, jump: () => void): ExpiryField {
  const f = field({ ...l, changed() {
    const input = f.input as HTMLInputElement;
    if (growing && input.selectionStart === input.value.length) reformat(input, spacedExpiry(input.value));
    l.changed();
    if (growing && /^\d\d \/ \d\d$/.test(input.value) && input.value.slice(5) !== "20" && !f.fault()) jump();
  } }, { key: "expiry", label: say("expiry"), fault: (v) => expiryFault(v, new Date()),
    attributes: { inputmode: "numeric", autocomplete: "cc-exp", name: "exp-date", dir: "ltr", enterkeyhint: "next", placeholder: say("expiry_hint") } }) as ExpiryField;
  let growing = true;
  f.input.addEventListener("beforeinput", (e) => { growing = !/^delete/.test((e as InputEvent).inputType || ""); });
  f.expiry = () => expiryOf(f.input.value);
  return f;
}

export function codeField(l: Listener, network: () => Network): Field & { look(): void } {
  const picture = make("span", { class: "InputLogo code", "aria-hidden": "true" }), id = newID();
  const hint = make("span", { class: "hidden", id });
  const f = field({ ...l, changed() {
    const input = f.input as HTMLInputElement;
    reformat(input, digitsOf(input.value).slice(0, 4));
    l.changed();
  } }, { key: "cvc", label: say("cvc"), extra: make("span", { class: "marks" }, picture, hint), fault: (v) => codeFault(digitsOf(v), network()),
    attributes: { inputmode: "numeric", autocomplete: "cc-csc", name: "cvc", dir: "ltr", enterkeyhint: "done", placeholder: say("cvc_hint") } }) as Field & { look(): void };
  set(f.input, { "aria-describedby": id + " " + f.input.getAttribute("aria-describedby") });
  f.look = () => {
    const front = network().code === 4;
    picture.replaceChildren(mark(front ? "front" : "back"));
    hint.textContent = say(front ? "cvc_front" : "cvc_back");
  };
  f.look();
  return f;
}

// nameFault refuses a name with three digits in a row: that is the card number in the wrong field.
export const nameFault = (v: string): Fault => (!v.trim() || /\d{3}/.test(v) ? ["err_name"] : undefined);

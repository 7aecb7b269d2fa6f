import { Bag, checked, toFrame, ToPage, wait, webURL } from "../lib/wire";
import { base, call, client, confirm, Credentials, open, Refused, retrieve } from "./api";
import { apply, dressed, fonts, warn } from "./appearance";
import { make, say, set } from "./dom";
import { codeField, expiryField, Field, Listener } from "./fields";
import { Form, newForm } from "./form";
import { invoke, running, settled, Stage } from "./threeds";
import { tidy } from "./options";
import { codeFault, digitsOf, Fault, named } from "../lib/cards";

// Widget is what a frame shows instead of a form. It returns an error if it could not be drawn.
export type Widget = (c: Credentials, o: Bag, place: HTMLElement, resized: () => void) => Promise<Bag | undefined>;
let widget: Widget | undefined;

// The frame with the fields. It alone holds card data, and it alone calls the switch. The page around it asks for a confirm, and gets an answer.

const query = new URLSearchParams(location.search);
const origin = query.get("origin") || "", type = query.get("type") || "payment";
const root = document.getElementById("root")!;
const status = make("div", { class: "status", role: "status" }), alarm = make("div", { class: "alarm", role: "alert" }), place = make("div", { class: "place" });
root.append(status, alarm, place);
root.tabIndex = -1;

let port: MessagePort | undefined;
let o: Bag = {}; // all options, as the loader sent them last
let c: Credentials = { key: "", secret: "", token: "", ephemeral: "", link: "" };
let phase: "loading" | "ready" | "busy" | "ended" | "failed" = "loading";
let form: Form | undefined, lone: Field | undefined;
let payment: any; // the payment as the switch last said it
let held = false, ready = false, left = false;
let collects = false; // the form saves a card, and pays nothing
let loadError: Bag | undefined;
let told = "";
let begun: () => void, loaded: Promise<void>; // the latest load

const tell = (m: ToPage, ports: MessagePort[] = []) => port?.postMessage(m, ports);
const event = (e: string, d: Bag = {}) => tell({ t: "event", e, d: { ...d, elementType: type } });

let height = -1;
function resized() {
  if (phase === "loading") return; // the frame has the height that the form will have
  const h = Math.ceil(root.getBoundingClientRect().height);
  if (h === height) return;
  height = h;
  tell({ t: "height", h });
}
new ResizeObserver(resized).observe(root);

const listener: Listener = {
  changed,
  focus(on, f) {
    event(on ? "focus" : "blur", on ? { focus: true } : { blur: true });
    classes(on);
    if (!on && (f.key === "cvc" || f.key === "number")) subscribed();
  },
  key(e) {
    if (e.key === "Escape") event("escape");
    if (e.key === "Enter") event("confirmTriggered", { confirmTriggered: true });
  },
};

let focused = false;
function classes(on = focused) {
  focused = on;
  const s = situation(), list: string[] = [];
  if (s.complete) list.push("complete");
  if (s.empty) list.push("empty");
  if (on) list.push("focus");
  if (root.querySelector("[aria-invalid=true]")) list.push("invalid");
  try {
    if (root.querySelector(":autofill")) list.push("webkit-autofill");
  } catch { /* an older browser */ }
  tell({ t: "class", c: list });
}

function situation(): { complete: boolean; empty: boolean; brand: string } {
  if (form) return form.state();
  if (lone) return { complete: !lone.fault(), empty: !lone.input.value, brand: "" };
  return { complete: false, empty: true, brand: "" };
}

function changed() {
  const s = situation(), text = JSON.stringify(s);
  classes();
  if (text === told) return;
  told = text;
  event("change", { complete: s.complete, empty: s.empty, value: { type: "card" }, ...(s.brand ? { brand: s.brand } : {}) });
  subscribed();
}

let said: { [e: string]: string } = {};
// subscribed sends the events that the shop asked for with subscriptionEvents.
function subscribed() {
  const wanted: string[] = Array.isArray(o.options.subscriptionEvents) ? o.options.subscriptionEvents : [];
  const once = (e: string, d: Bag) => {
    if (!wanted.includes(e) || said[e] === JSON.stringify(d)) return;
    said[e] = JSON.stringify(d);
    event(e, d);
  };
  const s = situation();
  once("FORM_STATUS", { status: s.complete ? "COMPLETE" : s.empty ? "EMPTY" : "FILLING" });
  once("PAYMENT_METHOD_STATUS", { paymentMethod: "card", isSavedPaymentMethod: !!form?.chosenSaved(), isOneClickWallet: false });
  if (lone && type === "cardCvc") once("CVC_STATUS", { isCvcFocused: document.activeElement === lone.input, isCvcBlur: document.activeElement !== lone.input,
    isCvcEmpty: s.empty, isCvcComplete: s.complete });
  if (form && form.bin().length === 6) once("PAYMENT_METHOD_INFO_CARD", { bin: form.bin(), last4: form.last4(), brand: form.network() });
}

root.addEventListener("click", () => event("clickTriggered", { clickTriggered: true }));

const leader = ["payment", "card", "cardNumber"].includes(type);

// ---- what the payer sees

function note(where: HTMLElement, text: string, kind = "", ...more: Node[]) {
  where.replaceChildren(...(text ? [make("p", { class: "note " + kind }, text), ...more] : []));
  resized();
}

let kept: Element | null;

function show(next: typeof phase) {
  phase = next;
  const busy = next === "busy" || next === "loading";
  set(root, { "aria-busy": busy, "data-phase": next });
  // A field that is switched off loses the focus. The form keeps it meanwhile, and gives it back.
  if (busy && root.contains(document.activeElement)) {
    if (document.activeElement !== root) kept = document.activeElement;
    root.focus();
  }
  const off = busy || held || !!o.options.disabled;
  form?.disable(off || !!o.options.readOnly);
  lone?.disable(off);
  if (next === "ready" && document.activeElement === root) (kept?.isConnected ? (kept as HTMLElement) : form)?.focus();
  resized();
}

// ended shows one sentence in the form's place.
function ended(key: string, kind = "") {
  form?.clear();
  lone?.clear();
  siblings().forEach((s) => s.clear());
  form = undefined;
  place.replaceChildren();
  note(alarm, "");
  note(status, say(key), kind);
  show("ended");
  classes();
}

const good = ["succeeded", "requires_capture", "partially_captured", "partially_captured_and_capturable"];

// endOf is what stands in the form's place when nobody has anything left to do about a payment: the key of a text, and its kind.
const endOf = (state: string): [string, string?] | undefined => (good.includes(state) ? ["succeeded", "good"]
  : /^(processing|requires_merchant_action)$/.test(state) ? ["processing"] : /^(cancelled|expired)$/.test(state) ? ["over"] : undefined);

// ---- loading

async function load() {
  const turn = loaded = new Promise((done) => { begun = done; });
  show("loading");
  loadError = payment = undefined;
  note(alarm, "");
  if (widget) return loaded_(await widget(c, o.options, place, resized));
  if (!leader) {
    alone();
    return loaded_();
  }
  if (!navigator.onLine) return unloadable("offline");
  try {
    const data = await client(c, origin), intent = data.intent_data || {}, now = data.to || open(intent.status) ? intent : await retrieve(c);
    if (turn !== loaded) return; // the page has gone on to another payment meanwhile
    collects = !!data.collect;
    if (data.to) return moved(data); // a payment link that is over
    payment = now;
    draw(data);
    loaded_();
  } catch (e) {
    if (turn !== loaded) return;
    if (e instanceof Refused) unloadable("cannot_load", { type: e.status === 404 ? "object_not_found" : "invalid_request_error", code: e.code, message: e.message });
    else unloadable("cannot_load");
  }
}

function draw(data: any) {
  note(status, "");
  form = newForm(listener, type, data, o.options, resized, grown);
  if (type === "cardNumber") form.split = followers;
  const state = payment.status;
  const end = endOf(state);
  if (end) return ended(...end);
  if (state === "requires_customer_action") {
    ended("resume");
    return show("ready"); // the next press goes on with it
  }
  if (state === "failed" && !payment.manual_retry_allowed) return ended("declined_final", "bad");
  place.replaceChildren(form.root, ...ownButton());
  if (state === "failed") note(alarm, say("declined"), "bad");
  show("ready");
}

function loaded_(failed?: Bag) {
  if (failed) return unloadable("cannot_load", failed);
  if (phase === "loading") show("ready");
  style();
  resized();
  requestAnimationFrame(() => {
    resized();
    if (!ready) event("ready", { ready: true });
    ready = true;
    begun();
    changed();
  });
}

function unloadable(key: string, error: Bag = { type: "api_error", message: say(key) }) {
  loadError = error;
  warn(error.message);
  form = undefined;
  place.replaceChildren();
  const again = make("button", { type: "button", class: "Button" }, say("try_again"));
  again.onclick = load;
  note(status, "");
  note(alarm, say(key), "bad", again);
  show("failed");
  event("loaderror", { error });
  begun();
}
addEventListener("online", () => loadError && load());

// ---- fields in frames of their own

interface Shared { group: string; type: string; fault(): Fault; show(f: Fault): void; focus(): void; value(): string; clear(): void; disable(off: boolean): void; network(): string }

// siblings are the frames of the same elements in this page. They have this frame's origin: the page sees none of it.
function siblings(): Shared[] {
  const out: Shared[] = [];
  for (let i = 0; i < parent.frames.length; i++) {
    try {
      const s = (parent.frames[i] as any).payswitch as Shared | undefined;
      if (s && s.group === o.group) out.push(s);
    } catch { /* another origin's frame */ }
  }
  return out;
}

function alone() {
  if (type === "cardExpiry") lone = expiryField(listener, () => siblings().find((s) => s.type === "cardCvc")?.focus());
  else {
    const network = () => named(siblings().find((s) => s.type === "cardNumber")?.network() || "");
    const f = codeField(listener, network);
    const plain = f.fault;
    f.fault = () => { f.look(); return plain(); };
    lone = f;
  }
  place.replaceChildren(make("div", { class: "form" }, lone.root));
}

// followers are the values of the expiry's and the code's frames.
function followers() {
  const of = (t: string) => siblings().find((s) => s.type === t);
  const expiry = of("cardExpiry"), e = expiry?.value().split("/") || [];
  return { expiry: e.length === 2 ? { month: e[0], year: e[1] } : undefined, code: of("cardCvc")?.value() };
}

// faulty shows what is wrong in the other frames, and focuses the first of them.
function faulty(): boolean {
  const wrong = siblings().filter((s) => s.type !== "cardNumber").map((s) => [s, s.fault()] as const).filter(([, f]) => f);
  for (const [s, f] of wrong) s.show(f);
  wrong[0]?.[0].focus();
  return wrong.length > 0;
}

function share() {
  const e = () => (lone as any).expiry?.() as { month: string; year: string } | undefined;
  (window as any).payswitch = {
    group: o.group, type, fault: () => lone?.fault(), show: (f) => lone?.show(f), focus: () => (lone ? lone.input.focus() : form?.focus()),
    value: () => (type === "cardCvc" ? digitsOf(lone!.input.value) : type === "cardExpiry" && e() ? e()!.month + "/" + e()!.year : ""),
    clear: () => lone?.clear(), disable: (off) => lone?.disable(off), network: () => form?.network() || "",
  } as Shared;
}

// ---- a card with two networks

let asked = "";
async function grown(digits: string) {
  const bin = digits.length >= 8 ? digits.slice(0, 8) : "";
  if (bin === asked) return;
  asked = bin;
  form?.offer([]);
  if (!bin) return;
  try {
    const answer = await call(c, "GET", "/checkout/v1/networks?bin=" + bin);
    if (asked === bin && Array.isArray(answer.card_networks)) form?.offer(answer.card_networks);
  } catch { /* the payer's card works without the choice */ }
}

// ---- the payment

const browser = () => ({
  user_agent: navigator.userAgent, accept_header: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", language: navigator.language,
  color_depth: [48, 32, 24, 16, 15, 8, 4, 1].find((d) => d <= screen.colorDepth) || 24, screen_height: screen.height, screen_width: screen.width,
  time_zone: new Date().getTimezoneOffset(), java_enabled: false, java_script_enabled: true,
});

const address = (page: string) => `${base}/checkout/v1/${page}?` + new URLSearchParams({ key: c.key, profile: o.profile || "", origin, locale: document.documentElement.lang });

const stage: Stage = {
  open: (p) => tell({ t: "open", a: say("title_challenge") }, [p]),
  close: () => tell({ t: "close" }),
  leave(url) { go(url); },
  address,
};

function go(url: string) {
  if (!webURL(url)) return;
  left = true;
  if (o.options.redirectionInfo !== "never") note(status, say("leaving"));
  tell({ t: "go", url, top: !!o.top });
}

const failure = (kind: string, message: string, code?: string): Bag => ({ error: { type: kind, ...(code ? { code } : {}), message }, submitSuccessful: false });

// shown are the fields of a payment that the page may know. None of them is about the card.
const shown = ("payment_id merchant_id profile_id status amount net_amount amount_capturable amount_received currency client_secret created customer_id description " +
  "setup_future_usage capture_method payment_method payment_method_type payment_method_id return_url error_code error_message unified_code unified_message attempt_count " +
  "manual_retry_allowed metadata merchant_order_reference_id").split(" ");

export function forPage(p: any): Bag {
  const out: Bag = {};
  for (const name of shown) if (name in p) out[name] = p[name];
  return out;
}

function returned(to: string, p: any): string {
  const url = webURL(to);
  if (!url) return "";
  url.searchParams.set("payment_intent_client_secret", c.secret || p.client_secret || "");
  url.searchParams.set("payment_id", p.payment_id);
  url.searchParams.set("status", p.status);
  return url.href;
}

function finished(p: any, params: Bag): Bag {
  if (params.redirect === "always") go(returned(params.to, p));
  return forPage(p);
}

// outcome tells payer and page what became of a payment that the switch has decided.
function outcome(p: any, params: Bag): Bag {
  payment = p;
  note(status, p.cardholder_info || ""); // what was said while the switch was asked is over
  const end = endOf(p.status);
  if (end) ended(...end);
  if (end?.[0] === "over") return failure("invalid_request_error", say("over"), p.status);
  if (end) return finished(p, params);
  if (p.status === "requires_customer_action") {
    ended("asking");
    return failure("processing_error", say("unknown"), "outcome_unknown");
  }
  const bank = /^(challenge_cancelled|authentication_|unauthenticated)/.test(p.error_code);
  const cancelled = bank && (p.left || p.error_code === "challenge_cancelled");
  const final = p.status === "failed" && !p.manual_retry_allowed;
  const text = say(cancelled ? "cancelled_by_you" : bank ? "not_confirmed" : "declined");
  form?.clearCode();
  siblings().filter((s) => s.type === "cardCvc").forEach((s) => s.clear());
  if (final) ended("declined_final", "bad");
  else show("ready");
  note(final ? status : alarm, final && !bank ? say("declined_final") : text, "bad");
  if (bank) return failure("authentication_error", text, cancelled ? "cancelled" : "failed");
  return failure("card_error", (p.unified_code !== "UE_9000" && p.unified_message) || text, p.error_code || undefined); // UE_9000 says nothing
}

// moved goes where a link goes on: its status page, the bank or the shop.
function moved(p: any): Bag {
  ended(collects ? "saving" : good.includes(p.status) ? "succeeded" : "sending", good.includes(p.status) ? "good" : "");
  left = true;
  tell({ t: "go", url: new URL(p.to, location.href).href, top: false });
  return forPage(p);
}

// away is the answer to the shop's page while it is left for the bank: an answer would have the shop go elsewhere, and the payer never see the bank.
const away = new Promise<Bag>(() => {});

// act does what the switch asks the payer to do.
async function act(p: any, params: Bag): Promise<Bag> {
  const next = p.next_action || {};
  if (p.to) return moved(p);
  if (p.status !== "requires_customer_action") return outcome(p, params);
  switch (next.type) {
    case "three_ds_invoke": {
      const now = await invoke(c, p, stage);
      return left ? away : now ? outcome(now, params) : forPage(p);
    }
    case "wait_screen_information": {
      note(status, say("asking"));
      return outcome((await settled(c, Number(next.display_to_timestamp) / 1e6 || Date.now() + 6e5, 10_000)) || p, params);
    }
    default: { // redirect_to_url, redirect_inside_popup, and what we do not know
      const to = next.redirect_to_url || next.popup_url;
      if (!to) return outcome((await settled(c, Date.now() + 60_000)) || p, params);
      go(to);
      return left ? away : forPage(p);
    }
  }
}

async function pay(params: Bag): Promise<Bag> {
  await Promise.race([loaded, wait(15_000)]);
  if (held) return failure("update_in_progress", "The payment is being updated.");
  if (loadError) return { error: loadError, submitSuccessful: false };
  const end = payment && endOf(payment.status);
  if (end && end[0] !== "over") return finished(payment, params);
  if (phase === "ended") return failure("invalid_request_error", say("over"), payment?.status);
  if (payment?.status === "requires_customer_action") {
    show("busy");
    return act(payment.next_action ? payment : await retrieve(c), params);
  }
  let body: Bag | undefined;
  if (params.token) { // a saved card that the page has chosen, with the code of this frame
    const typed = params.plain ? "" : digitsOf(lone!.input.value);
    const f = params.plain ? undefined : codeFault(typed, named(params.network));
    if (f) {
      lone!.show(f);
      return failure("cvc_validation", say(...f));
    }
    body = { payment_method: "card", payment_token: params.token, ...(typed ? { payment_method_data: { card_token: { card_cvc: typed } } } : {}) };
  } else {
    if (type === "cardNumber" && faulty()) body = undefined;
    else body = form?.body();
    if (!body) {
      changed();
      return failure("validation_error", root.querySelector(".Error:not([hidden])")?.textContent || say("err_field"));
    }
  }
  if (!navigator.onLine) {
    note(alarm, say("cannot_send"), "bad");
    return failure("api_error", say("cannot_send"));
  }
  Object.assign(body, { client_secret: c.secret || undefined, browser_info: browser(), return_url: (!c.link && params.to) || undefined, ...(params.more || {}) });
  note(alarm, "");
  note(status, say(collects ? "saving" : "sending"));
  show("busy");
  siblings().forEach((s) => s.disable(true));
  try {
    const key = Math.random() + ""; // it holds for this payment alone, and old phones have no randomUUID
    const p = await confirm(c, body, key, () => note(status, say("asking")));
    body = undefined;
    note(status, "");
    if (!p) {
      ended("unknown");
      return failure("processing_error", say("unknown"), "outcome_unknown");
    }
    if (p.next_action) note(status, say("asking"));
    return await act(p, params);
  } finally {
    siblings().forEach((s) => s.disable(false));
    if (phase === "busy") show("ready");
  }
}

// refused is the end of a confirm that the switch did not take. The payment may have gone on without us, in another tab for instance.
async function refused(e: unknown, params: Bag): Promise<Bag> {
  note(status, "");
  if (!(e instanceof Refused)) throw e;
  if (e.code === "IR_16") {
    const p = await retrieve(c).catch(() => undefined);
    if (p && (p.to || !open(p.status))) return p.to || p.status === "requires_customer_action" ? act(p, params) : outcome(p, params);
  }
  form?.clearCode();
  show("ready");
  note(alarm, say(collects ? "not_saved" : "refused"), "bad");
  return failure(e.status === 404 ? "object_not_found" : "invalid_request_error", e.message, e.code);
}

let paying: Promise<Bag> | undefined;

// once answers every call while one payment is under way with that payment.
function once(params: Bag): Promise<Bag> {
  const no = (e: unknown) => refused(e, params);
  paying ||= pay(params).catch(no).catch(no).catch((): Bag => failure("processing_error", say("unknown"), "outcome_unknown")).finally(() => { paying = undefined; });
  return paying;
}

// ownButton is the button of sdkHandleConfirmPayment: the frame pays by itself. A page that covers the button cannot make the payer press it.
function ownButton(): Node[] {
  const own = o.options.sdkHandleConfirmPayment, h = own === true ? {} : own;
  if (!h || typeof h !== "object" || h.handleConfirm === false) return [];
  const button = make("button", { type: "button", class: "Button" }, h.buttonText || say(o.options.sdkHandleSavePayment ? "save_now" : "pay"));
  let covered = false;
  try {
    new IntersectionObserver((list) => { covered = (list[list.length - 1] as any).isVisible === false; }, { threshold: [1], trackVisibility: true, delay: 100 } as any).observe(button);
  } catch { /* a browser without the second version */ }
  button.onclick = () => covered || event("oneClickConfirmTriggered", {}); // the loader asks the shop first, and confirms then
  return [button];
}

// ---- messages

function take(m: any) {
  switch (m.t) {
    case "options":
      try {
        return options(m.o);
      } catch { // whatever the page sent: it hears of it, and nobody waits
        return unloadable("cannot_load", { type: "invalid_request_error", message: "Wrong options." });
      }
    case "confirm":
      once(m.o).then((v) => tell({ t: "answer", n: m.n, v }));
      return;
    case "hold":
      held = m.on;
      return show(phase);
    case "focus": return form ? form.focus() : lone ? lone.input.focus() : undefined;
    case "blur": return (document.activeElement as HTMLElement | null)?.blur();
    case "clear":
      form?.clear();
      lone?.clear();
      return changed();
    case "cancel":
      if (running) m.gone ? running.gone() : running.ask();
  }
}

function options(next: Bag) {
  if (paying) return void paying.then(() => options(next)); // what is under way is about the payment that it began with
  const old = o, first = !old.options;
  o = { ...next, options: tidy(next.options) };
  c = { key: String(o.key || ""), secret: String(o.secret || ""), token: String(o.token || ""), ephemeral: String(o.ephemeral || ""),
    link: origin === location.origin ? String(o.link || "") : "" };
  if (c.token && !c.secret) c.secret = secretOf(c.token);
  const look = o.appearance && typeof o.appearance === "object" ? o.appearance : {};
  apply(o.options.style ? { ...look, rules: { ...look.rules, ...dressed(o.options.style) } } : look, !c.link);
  if (first || JSON.stringify(old.fonts) !== JSON.stringify(o.fonts)) fonts(o.fonts);
  document.documentElement.dataset.loader = o.loader === "never" ? "never" : "auto";
  style();
  share();
  if (first || old.secret !== o.secret || old.token !== o.token || old.ephemeral !== o.ephemeral || old.tick !== o.tick || (!form && phase === "failed")) load();
  else show(phase);
}

// secretOf reads the client secret from a payment's token, which is base64 of name=value pairs.
function secretOf(token: string): string {
  try {
    return /client_secret=([^,]+)/.exec(atob(token.replace(/-/g, "+").replace(/_/g, "/")))?.[1] || "";
  } catch {
    return "";
  }
}

// style takes the options of single fields: placeholder, showIcon and the like.
function style() {
  const d = document.documentElement.dataset, p: Bag = o.options, input = lone?.input || (type === "cardNumber" ? root.querySelector("input") : null);
  d.icons = p.hideIcon || p.showIcon === false ? "no" : "yes";
  d.errors = p.showError === false ? "no" : "yes";
  d.radios = p.layout.radios === false ? "no" : "yes";
  d.items = p.layout.spacedAccordionItems === false ? "joined" : "spaced";
  if (!input || typeof p.placeholder !== "string") return;
  input.setAttribute("placeholder", p.placeholder);
  input.classList.remove("bare");
}

// start waits for the page around the frame.
export function start(w?: Widget) {
  widget = w;
  if (!origin || parent === window) return warn("no page around");
  addEventListener("message", function first(e) {
    if (e.source !== parent || e.origin !== origin || e.ports.length !== 1) return;
    removeEventListener("message", first);
    port = e.ports[0];
    port.onmessage = (m) => {
      const known = checked(m.data, toFrame);
      if (known) take(known);
    };
  });
}
addEventListener("pagehide", () => {
  form?.clear();
  lone?.clear();
});
addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });

import { Bag, checked, firm, ToFrame, toPage, webURL } from "../lib/wire";
import { dialog } from "./dialog";
import type { Group } from "./group";
import { failed, given, text, warn } from "./hyper";

const lost = () => failed("processing_error", "We do not know yet whether this went through. Please do not pay again.", "outcome_unknown");

// How high a frame is before it says so, and how long it may take to say anything, in milliseconds. The fields of a form stand in two rows.
const first: { [type: string]: number } = { cardNumber: 79, cardExpiry: 79, cardCvc: 79, paymentMethodsManagement: 120 };
// The types of the shop's SDK write the names of layouts with a capital, its guides without.
const rows = (a: Bag) => (named(a.innerLayout, "compressed") ? 99 : named(a.labels, "floating") ? 132 : named(a.labels, "never") ? 116 : 166) + (grounded(a) ? 16 : 0);
const named = (v: unknown, name: string) => text(v).toLowerCase() === name;
// A dark form stands on a ground of its own.
const grounded = (a: Bag) => ["midnight", "charcoal", "soft"].includes(a.theme) || ([undefined, "default"].includes(a.theme) &&
  (a.colorScheme === "dark" || (a.colorScheme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches)));
const patience = 15_000;

// Element is one frame with the handlers of the shop.
export class Element {
  private wrapper: HTMLElement | undefined;
  private frame: HTMLIFrameElement | undefined;
  private port: MessagePort | undefined;
  private target: globalThis.Element | undefined;
  private handlers: { [event: string]: (d: any) => void } = {};
  private waiting = new Map<number, (v: Bag) => void>();
  private queue: ToFrame[] = [];
  private ready = false;
  private gone = false;
  private alarm = 0;
  private watch = 0;
  private numbers = 0;
  private close: (() => void) | undefined;
  private click: (() => unknown) | undefined;
  readonly api: any;

  constructor(private readonly group: Group, readonly type: string, private options: Bag) {
    this.api = {
      mount: (where: unknown) => this.mount(where), unmount: () => this.unmount(),
      destroy: () => {
        this.unmount();
        this.group.forget(this);
      },
      update: (o?: Bag) => this.update(given(o, "create")),
      collapse() {}, on: (event: string, handler: any) => this.on(event, handler),
      onSDKHandleClick: (handler: any) => { this.click = handler; },
    };
    for (const t of ["focus", "blur", "clear"] as const) this.api[t] = () => this.send({ t });
  }

  private on(event: string, handler: any) {
    if (typeof handler !== "function") {
      delete this.handlers[event];
      return;
    }
    this.handlers[event] = handler;
    if (event === "ready" && this.ready) this.tell("ready", { ready: true, elementType: this.type });
  }

  private tell(event: string, data: Bag) {
    for (const handler of [this.handlers[event], this.group.handlers[event]]) if (handler) queueMicrotask(() => handler(data));
  }

  mounted() {
    return !!this.frame && this.frame.isConnected;
  }

  update(o: Bag) {
    const next = { ...this.options, ...o };
    const changed = plain(next) !== plain(this.options);
    this.options = next;
    if (changed) this.inform();
  }

  mount(where: unknown) {
    const target = typeof where === "string" ? found(where) : (where as globalThis.Element);
    if (!target || !(target instanceof globalThis.Element)) return warn("mount: nothing on this page is " + (text(where) || "such a thing"));
    if (this.mounted() && this.target === target) return;
    this.unmount();
    this.target = target;
    this.frame = document.createElement("iframe");
    const f = this.frame;
    f.title = "payswitch";
    f.id = `orca-${this.type}-frame-${this.group.id}`;
    f.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
    const known: string[] = (document as any).featurePolicy?.features?.() || [];
    f.allow = "payment *; publickey-credentials-get *" + (known.includes("autofill") ? "; autofill *" : ""); // newer browsers fill a card only with it
    firm(f, `border:0;display:block;width:calc(100% + 8px);margin:-4px;max-width:none;color-scheme:light;height:${first[this.type] || rows(Object(this.group.options.appearance))}px`);
    f.addEventListener("load", () => this.connect());
    f.src = this.address("frame");
    this.wrapper = document.createElement("div");
    this.wrapper.id = "orca-element-" + this.type;
    this.wrapper.className = "OrcaElement OrcaElement--empty";
    this.wrapper.append(f);
    target.replaceChildren(this.wrapper);
    this.alarm = window.setTimeout(() => this.ready || this.tell("loaderror", { error: { type: "api_error", message: "The form did not load." }, elementType: this.type }), patience);
    this.watch = window.setInterval(() => this.mounted() || this.unmount(), 1000); // a framework may have removed it
  }

  address(page: string): string {
    const s = this.group.settings, link = /((?:collect\/)?[\w-]+\/[\w-]+)(?:\?|$)/.exec(this.group.link());
    return `${s.home}/checkout/v1/${page}?` + new URLSearchParams({ type: this.type, key: s.key, profile: s.profile, origin: location.origin, locale: this.group.locale(),
      ...(link && { link: link[1] }) });
  }

  // connect gives the page in the frame its port. Only a page of the switch can receive the message.
  private connect() {
    this.settle();
    this.port?.close();
    const channel = new MessageChannel();
    this.port = channel.port1;
    this.port.onmessage = (e) => {
      const m = checked(e.data, toPage);
      if (m) this.take(m, e.ports);
    };
    this.frame!.contentWindow!.postMessage(0, new URL(this.group.settings.home, location.href).origin, [channel.port2]);
    this.port.postMessage({ t: "options", o: this.all() });
    if (this.group.holds()) this.port.postMessage({ t: "hold", on: true });
    for (const m of this.queue.splice(0)) this.port.postMessage(m);
  }

  private all(): Bag {
    return { ...JSON.parse(plain(this.group.common())), options: JSON.parse(plain(this.options)) };
  }

  inform() {
    this.port?.postMessage({ t: "options", o: this.all() });
  }

  reload() {
    if (this.frame) this.frame.src = this.address("frame");
  }

  send(m: ToFrame) {
    if (this.port) this.port.postMessage(m);
    else if (m.t !== "hold") this.queue.push(m);
  }

  ask(params: Bag): Promise<Bag> {
    return new Promise((done) => {
      const n = ++this.numbers;
      this.waiting.set(n, done);
      this.send({ t: "confirm", n, o: params });
    });
  }

  private take(m: any, ports: readonly MessagePort[]) {
    switch (m.t) {
      case "height":
        if (m.h >= 0 && m.h < 5000) this.frame && firm(this.frame, `height:${m.h}px`);
        return;
      case "event":
        if (m.e === "ready") this.ready = true;
        if (m.e === "oneClickConfirmTriggered") this.pressed();
        return this.tell(m.e, m.d);
      case "answer": {
        const done = this.waiting.get(m.n);
        this.waiting.delete(m.n);
        done?.(m.v);
        return;
      }
      case "open":
        this.close?.();
        if (ports.length === 1) this.close = dialog(this.address("challenge"), m.a, ports[0], (gone) => this.send({ t: "cancel", gone }));
        return;
      case "close":
        this.close?.();
        this.close = undefined;
        return;
      case "go": {
        const url = webURL(m.url);
        if (!url) return;
        if (this.group.settings.quiet) addEventListener("beforeunload", (e) => e.stopImmediatePropagation(), true);
        this.gone = true;
        const to: Window = m.top && window.top ? window.top : window;
        to.location.href = url.href;
        return;
      }
      case "class":
        if (this.wrapper && Array.isArray(m.c)) {
          const own = this.options.classes || {}; // the shop's own names
          this.wrapper.className = [own.base || "OrcaElement", ...m.c.filter((c: unknown) => /^[a-z-]+$/.test(String(c)))
            .map((c: string) => own[c === "webkit-autofill" ? "webkitAutofill" : c] || "OrcaElement--" + c)].join(" ");
        }
    }
  }

  // pressed is the press of the button in the frame, with sdkHandleConfirmPayment.
  private async pressed() {
    if (this.click) await this.click();
    const h = this.options.sdkHandleConfirmPayment, p = (h && h.confirmParams) || {};
    const v = await this.group.confirm(this, p, p.redirect || (p.return_url ? "always" : "if_required"));
    this.tell("completeDoThis", { payload: v });
  }

  private settle() {
    // Whoever comes back from the bank by the browser's button finds in the form how to go on.
    for (const done of this.waiting.values()) done(this.gone ? failed("authentication_error", "Back from the bank.", "cancelled") : lost());
    this.gone = false;
    this.waiting.clear();
    this.close?.();
    this.close = undefined;
  }

  unmount() {
    clearTimeout(this.alarm);
    clearInterval(this.watch);
    this.settle();
    this.port?.close();
    this.wrapper?.remove();
    this.port = this.frame = this.wrapper = this.target = undefined;
    this.ready = false;
    this.queue = [];
  }
}

function found(selector: string): globalThis.Element | null {
  try {
    return document.querySelector(selector);
  } catch {
    return document.getElementById(selector.slice(1)); // not a selector: an id of React's useId has colons
  }
}

// plain is what of an object can go over a port, as JSON: functions and nodes cannot. An option without end, such as one that holds itself, is left out.
export function plain(o: Bag): string {
  const parts: string[] = [];
  for (const name of Object.keys(o)) {
    try {
      const v = JSON.stringify(o[name], (_, v) => (typeof v === "function" || v instanceof Node ? undefined : v));
      if (v !== undefined) parts.push(JSON.stringify(name) + ":" + v);
    } catch {
      warn(`the option ${name} cannot be read`);
    }
  }
  return "{" + parts + "}";
}

// inert is an element of a kind that is not offered. It takes no room, and is ready, so that no page waits for it.
export function inert(type: string) {
  const nothing = () => {};
  const on = (event: string, handler: any) => {
    if (event === "ready" && typeof handler === "function") queueMicrotask(() => handler({ ready: true, elementType: type }));
  };
  return { on, mount: nothing, unmount: nothing, destroy: nothing, update: nothing, focus: nothing, blur: nothing, clear: nothing, collapse: nothing, onSDKHandleClick: nothing };
}

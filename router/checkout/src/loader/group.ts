import { Bag, webURL } from "../lib/wire";
import { Element, inert } from "./element";
import { failed, Settings, text, warn } from "./hyper";

const real = ["payment", "card", "cardNumber", "cardExpiry", "cardCvc", "paymentMethodsManagement"];
const absent = ["expressCheckout", "applePay", "googlePay", "payPal", "klarna", "paze", "samsungPay", "paymentMethodCollect"];

let count = 0;

// Group is what one call of elements() makes: elements that pay one payment together.
export class Group {
  readonly elements = new Map<string, Element>();
  api: any; // what the shop's page has of the group
  readonly id = `${++count}-${Math.random().toString(36).slice(2)}`;
  handlers: { [event: string]: any } = {}; // of a card form, for all its fields
  private held = false;
  private tick = 0;
  private paying: Promise<Bag> | undefined;
  private paid: Bag | undefined;

  constructor(readonly settings: Settings, public options: Bag) {
    if (!options.sdkAuthorization && !options.ephemeralKey && !options.link && !/._secret_./.test(text(options.clientSecret))) warn("clientSecret must be the client_secret of a payment");
  }

  // create gives the group's one element of a type. React calls it for every render.
  create(type: string, options: Bag): any {
    let e = this.elements.get(type);
    if (e) {
      if (Object.keys(options).length) e.update(options);
      return e.api;
    }
    if (!real.includes(type)) {
      if (!absent.includes(type)) warn(`create: the type ${type} is unknown`);
      return inert(type);
    }
    e = new Element(this, type, options);
    this.elements.set(type, e);
    return e.api;
  }

  forget(e: Element) {
    if (this.elements.get(e.type) === e) this.elements.delete(e.type);
  }

  // lead is the mounted element that takes a confirm.
  lead(): Element | undefined {
    return ["payment", "card", "cardNumber"].map((t) => this.elements.get(t)).find((e) => e?.mounted());
  }

  // common is what all frames of the group are told.
  common(): Bag {
    const o = this.options, s = this.settings;
    return { key: s.key, profile: s.profile, secret: text(o.clientSecret), token: text(o.sdkAuthorization), ephemeral: text(o.ephemeralKey), link: this.link(), group: this.id,
      appearance: o.appearance || {}, fonts: o.fonts || [], loader: o.loader || "auto", page: location.href.replace(/#.*$/, ""), top: s.top, tick: this.tick };
  }

  // link is what the page of a payment link has in the place of a client secret. Frames take it from the switch's own pages alone.
  link(): string {
    return text(this.options.link);
  }

  locale(): string {
    return text(this.options.locale) || "auto";
  }

  update(next: Bag) {
    const before = this.locale();
    this.options = { ...this.options, ...Object.fromEntries(Object.entries(next).filter((e) => e[1] != null)) }; // null changes nothing
    if (next.clientSecret) this.paid = undefined;
    for (const e of this.elements.values()) before === this.locale() ? e.inform() : e.reload();
  }

  again() {
    this.tick++;
    for (const e of this.elements.values()) e.inform();
  }

  hold(on: boolean) {
    this.held = on;
    for (const e of this.elements.values()) e.send({ t: "hold", on });
  }

  holds() {
    return this.held;
  }

  // confirm pays once: while it runs, and after it has succeeded, every call gets the same answer.
  confirm(e: Element, params: Bag, redirect?: string, more: Bag = {}): Promise<Bag> {
    if (this.paying) return this.paying;
    const to = params.return_url, always = redirect === "always";
    const at = this.held ? failed("update_in_progress", "The payment is being updated: confirm it afterwards.") : this.paid && !always ? this.paid
      : to && !webURL(to) ? failed("invalid_request_error", "confirmParams.return_url must be a URL with https.")
      : always && !to ? failed("invalid_request_error", "confirmParams.return_url is missing.") : undefined;
    if (at) return Promise.resolve(at);
    const secret = this.options.clientSecret;
    this.paying = e.ask({ to: to || location.href.replace(/#.*$/, ""), redirect: always ? redirect : "if_required", ...more });
    this.paying.then((v) => {
      this.paying = undefined;
      if (v.status === "succeeded" && secret === this.options.clientSecret) this.paid = v; // the page may have gone on to the next payment
    });
    return this.paying;
  }
}

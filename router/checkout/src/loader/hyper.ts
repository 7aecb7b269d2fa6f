import { Bag, webURL } from "../lib/wire";
import { Element, inert, plain } from "./element";
import { Group } from "./group";
import { session } from "./session";

const warned: { [text: string]: boolean } = {};
export function warn(text: string) {
  if (warned[text]) return;
  warned[text] = true;
  console.warn("payswitch: " + text);
}

// Settings are what one call of Hyper sets for all its elements.
export interface Settings { home: string; key: string; profile: string; test: boolean; top: boolean; quiet: boolean }

const made: { [name: string]: any } = {};

// known are the options of each call that have an effect.
const known: { [call: string]: string } = {
  Hyper: "publishableKey profileId customBackendUrl isForceInit isPreloadEnabled isTestMode redirectionFlags shouldUseTopRedirection removeBeforeUnloadEventListeners version",
  elements: "clientSecret appearance locale loader fonts sdkAuthorization ephemeralKey link",
};

// given returns the options of a call. It says which of them have no effect: a shop must not break for an option that we have not heard of. The frame looks
// at those of an element.
export function given(o: unknown, call: string): Bag {
  if (!o || typeof o !== "object") {
    if (o !== undefined && o !== null) warn(`the options of ${call} must be an object`);
    return {};
  }
  const names = known[call]?.split(" ");
  if (names) for (const name of Object.keys(o)) if (!names.includes(name)) warn(`${call}: the option ${name} has no effect`);
  return o as Bag;
}

// text is an option that must be a text.
export const text = (v: unknown) => (typeof v === "string" ? v : "");

// hyperOf is the function Hyper. A second call with the same key gives the same object.
export function hyperOf(script: string, key: unknown, options: unknown): any {
  const o = given(options, "Hyper"), k = (key && typeof key === "object" ? key : { publishableKey: key }) as Bag;
  const flags = o.redirectionFlags || {};
  const s: Settings = { home: String(webURL(o.customBackendUrl)?.href || script).replace(/\/+$/, ""), key: text(k.publishableKey), profile: text(k.profileId),
    test: !!o.isTestMode, top: !!(o.shouldUseTopRedirection || flags.shouldUseTopRedirection),
    quiet: !!(o.removeBeforeUnloadEventListeners || flags.shouldRemoveBeforeUnloadEvents) };
  const name = JSON.stringify(s);
  if (!o.isForceInit && made[name]) return made[name];
  if (o.version === "v2") warn("version v2 is not offered");
  if (o.isPreloadEnabled !== false && webURL(s.home)) {
    const link = document.createElement("link");
    link.rel = "preconnect";
    link.href = s.home;
    document.head.append(link);
  }
  return (made[name] = build(s));
}

// groupOf finds the elements that an object of the shop means, by its function create: React gives a copy of the object, with the same functions.
const groups = new WeakMap<object, Group>();
const groupOf = (e: any): Group | undefined => groups.get(e?.create);

export const failed = (type: string, message: string, code?: string): Bag => ({ error: { type, ...(code ? { code } : {}), message }, submitSuccessful: false });

// get asks the API for data that the page wants itself.
export async function get(s: Settings, path: string): Promise<any> {
  const response = await fetch(s.home + path, { headers: { "api-key": s.key }, credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" });
  const answer = await response.json();
  if (!response.ok) throw answer.error || answer;
  return answer;
}

function build(s: Settings) {
  let last: Group | undefined;
  const all: Group[] = [];

  function elements(options?: Bag) {
    const o = given(options, "elements");
    // A page that asks again for the same elements gets them: a framework that draws anew would lose what the payer has typed.
    const same = (o.clientSecret || o.ephemeralKey) && all.find((g) => plain(g.options) === plain(o));
    if (same) return (last = same).api;
    const group = new Group(s, o);
    all.push(group);
    last = group;
    const api = (group.api = {
      options: o,
      create: (type: string, wish?: Bag) => group.create(type, given(wish, "create")),
      getElement: (type: string) => group.elements.get(type)?.api || null,
      update: (next?: Bag) => group.update(given(next, "elements")),
      fetchUpdates: () => {
        group.again();
        return Promise.resolve({});
      },
      updateIntent: async (change: () => Promise<string>) => {
        group.hold(true);
        try {
          group.update({ clientSecret: await change() });
          return { status: "succeeded" };
        } catch (e) {
          return failed("api_error", String((e as Error)?.message || e));
        } finally {
          group.hold(false);
        }
      },
      // A card form is a group whose fields stand alone. The form's handlers hear of all fields.
      createCardForm: () => ({ create: api.create, update: api.update, tokenize: nothing("tokenize"), fields: {},
        on: (event: string, handler: any) => { group.handlers[event] = handler; },
        deinit: () => group.elements.forEach((e) => e.api.destroy()), confirmPayment: (params?: Bag) => pay(group, Object(params)) }),
    });
    groups.set(api.create, group);
    return api;
  }

  const confirmPayment = async (params?: Bag) => pay(groupOf(params?.elements) || groupOf(params?.widgets) || last, Object(params));

  async function pay(group: Group | undefined, p: Bag): Promise<Bag> {
    if (s.test) return failed("test_mode_bypass", "The test mode sends nothing.");
    const lead = group?.lead();
    if (!group || !lead) return failed("invalid_request_error", "No form is mounted.");
    return group.confirm(lead, p.confirmParams || {}, p.redirect);
  }

  async function retrieve(secret: string) {
    return get(s, `/payments/${String(secret).split("_secret_")[0]}?client_secret=${encodeURIComponent(secret)}`);
  }

  const nothing = (name: string) => () => {
    warn(`${name} is not offered`);
    return Promise.resolve(failed("invalid_request_error", name + " is not offered."));
  };
  const cardForm = () => Object.assign(inert("card"), { create: inert, deinit() {}, fields: {}, tokenize: nothing("tokenize") });

  return {
    elements, widgets: elements, confirmPayment, confirmTokenization: confirmPayment, confirmOneClickPayment: confirmPayment,
    confirmCardPayment: async (secret: string, data?: Bag, options?: Bag) => {
      const d = Object(data), o = Object(options), card = d.payment_method?.card, group = (card && all.find((g) => [...g.elements.values()].some((e) => e.api === card))) || last;
      // Another payment than the one asked for must not be paid.
      if (text(group?.options.clientSecret) && group.options.clientSecret !== secret) return failed("invalid_request_error", "The form has another client secret.");
      return pay(group, { confirmParams: { return_url: d.return_url || o.return_url }, redirect: o.redirect });
    },
    retrievePaymentIntent: (secret: string) => retrieve(secret).then((paymentIntent) => ({ paymentIntent }), () => null),
    retrievePayment: (secret: string) => retrieve(secret).then((payment) => ({ payment }), (error) => ({ error })),
    initPaymentSession: (o: Bag) => session(s, o || {}, () => all),
    paymentMethodsManagementElements: elements,
    initiateUpdateIntent: () => {
      all.forEach((g) => g.hold(true));
      return Promise.resolve({ status: "succeeded" });
    },
    completeUpdateIntent: (clientSecret?: string) => {
      all.forEach((g) => {
        if (clientSecret) g.update({ clientSecret });
        g.hold(false);
      });
      return Promise.resolve({ status: "succeeded" });
    },
    paymentRequest: () => ({ canMakePayment: () => Promise.resolve(null), on() {}, show() {}, update() {} }),
    initAuthenticationSession: nothing("initAuthenticationSession"), paymentMethodsSession: () => Object.assign(nothing("paymentMethodsSession")(), { createCardForm: cardForm }),
  };

}

export type { Element };

import { Bag, wait } from "../lib/wire";

// base is the path of the switch: the frame's own address without what follows it.
export const base = location.pathname.replace(/\/checkout\/v1\/\w+$/, "");

// local is the path of an address of the switch. The frame asks its own origin, whatever name the switch gives itself.
export function local(address: string): string {
  const url = new URL(address, location.href), at = url.pathname.search(/\/(payments|3ds|sim)\//);
  return base + url.pathname.slice(Math.max(at, 0)) + url.search;
}

// Credentials open one payment. link is the address that the page of a payment link has in the place of a client secret.
export interface Credentials { key: string; secret: string; token: string; ephemeral: string; link: string }

// Lost is the error of a call without a usable answer: nobody knows whether the switch acted.
export class Lost extends Error {}

// Refused is an answer that says no. The call had no effect.
export class Refused extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

export const paymentOf = (c: Credentials) => c.secret.split("_secret_")[0];

// call sends one request and returns the answer.
export async function call(c: Credentials, method: string, path: string, body?: Bag, headers: { [name: string]: string } = {}): Promise<any> {
  if (c.token) headers["Authorization"] = c.token;
  else headers["api-key"] = c.ephemeral || c.key;
  if (body) headers["Content-Type"] = "application/json";
  const stop = new AbortController(), timer = setTimeout(() => stop.abort(), 9e4);
  try {
    const response = await fetch(base + path, {
      method, headers, body: body && JSON.stringify(body), signal: stop.signal, credentials: "omit", cache: "no-store", // the page's policy sends no referrer
    });
    const answer = await response.json();
    if (response.ok) return answer;
    const e = answer.error || {};
    // An internal error says nothing of what happened. Busy and limited mean: the same again, later.
    if ((response.status >= 500 && response.status !== 501) || response.status === 429 || e.code === "HE_00") throw 0;
    throw new Refused(response.status, e.code || "", e.message || "");
  } catch (e) {
    throw e instanceof Refused ? e : new Lost();
  } finally {
    clearTimeout(timer);
  }
}

const read = (c: Credentials, path: string) =>
  call(c, "GET", c.link || `/payments/${paymentOf(c)}${path}` + (c.token ? "" : "client_secret=" + encodeURIComponent(c.secret)));

// client says which page is around the frame: the profile may name others.
export const client = (c: Credentials, origin: string) => read(c, `/client?origin=${origin}&`);

export const retrieve = (c: Credentials) => read(c, "?force_sync=true&");

// waits are the pauses before the same confirm is sent again, in milliseconds. After them, the status is asked for every second one.
const waits = [800, 1600, 3200], every = 2000, patience = 60000;

export const open = (status: string) => status === "requires_payment_method" || status === "requires_confirmation";

// confirm sends one press of the button. A lost answer is asked for: the same request under the same key cannot pay twice. It returns undefined if
// nobody could say what happened.
export async function confirm(c: Credentials, body: Bag, key: string, asking: () => void): Promise<any> {
  const send = () => call(c, "POST", c.link || `/payments/${paymentOf(c)}/confirm`, body, { "Idempotency-Key": key });
  for (let i = 0; ; i++) {
    try {
      return await send();
    } catch (e) {
      if (e instanceof Refused && i === 0) throw e;
      if (e instanceof Refused) break; // an earlier try may have had effect
    }
    asking();
    if (i === waits.length) break;
    await wait(waits[i]);
  }
  for (let spent = 0; spent < patience; spent += every) {
    try {
      const p = await retrieve(c);
      if (!open(p.status)) return p;
      return await send(); // the switch knows nothing of it yet
    } catch (e) {
      if (e instanceof Refused && e.status < 404 && e.code !== "IR_38") throw e;
    }
    await wait(every);
  }
}

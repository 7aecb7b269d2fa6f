// The messages between the loader in the shop's page and the frame. None has a place for a card number, an expiry or a security code.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Bag = { [key: string]: any };

// ToFrame is what the loader says to the frame.
export type ToFrame =
  | { t: "options"; o: Bag } // once, and again when something changes
  | { t: "confirm"; n: number; o: Bag }
  | { t: "hold"; on: boolean } // the payment is being updated: nothing can be confirmed
  | { t: "focus" }
  | { t: "blur" }
  | { t: "clear" }
  | { t: "cancel"; gone: boolean }; // the payer wants to leave the challenge, or has left it

// ToPage is what the frame says to the loader.
export type ToPage =
  | { t: "height"; h: number }
  | { t: "event"; e: string; d: Bag }
  | { t: "answer"; n: number; v: Bag }
  | { t: "open"; a: string } // with a port for the challenge page; a is its accessible name
  | { t: "close" }
  | { t: "go"; url: string; top: boolean }
  | { t: "class"; c: string[] };

type Shapes = { [t: string]: { [key: string]: string } };

export const toFrame: Shapes = { options: { o: "object" }, confirm: { n: "number", o: "object" }, hold: { on: "boolean" }, focus: {}, blur: {}, clear: {}, cancel: { gone: "boolean" } };

export const toPage: Shapes = { height: { h: "number" }, event: { e: "string", d: "object" }, answer: { n: "number", v: "object" }, open: { a: "string" }, close: {},
  go: { url: "string", top: "boolean" }, class: { c: "object" } };

// checked returns the message if it has exactly the shape of its type, and undefined otherwise.
export function checked(m: any, shapes: Shapes): any {
  if (!m || !Object.keys(shapes).includes(m.t)) return undefined;
  const shape = { t: "string", ...shapes[m.t] } as Shapes[string], keys = Object.keys(m);
  return keys.length === Object.keys(shape).length && keys.every((key) => typeof m[key] === shape[key] && m[key] !== null) ? m : undefined;
}

// firm sets styles that the page's own style sheets cannot change.
export function firm(e: HTMLElement, styles: string) {
  for (const style of styles.split(";")) {
    const [name, value] = style.split(":");
    e.style.setProperty(name, value, "important");
  }
}

// webURL returns the URL if it is absolute, with http or https, and undefined otherwise.
export function webURL(text: unknown): URL | undefined {
  try {
    const url = new URL(String(text));
    return url.protocol === "https:" || url.protocol === "http:" ? url : undefined;
  } catch {
    return undefined;
  }
}

export const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

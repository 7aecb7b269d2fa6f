// A few lines in the place of a framework.

type Child = Node | string | undefined | false | null;

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: { [name: string]: any } = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  set(e, attributes);
  for (const c of children) if (c) e.append(c);
  return e;
}

// set writes attributes; false and undefined remove one.
export function set(e: Element, attributes: { [name: string]: any }) {
  for (const name in attributes) {
    const v = attributes[name];
    if (v === undefined || v === false) e.removeAttribute(name);
    else e.setAttribute(name, v === true ? "" : String(v));
  }
}

export const texts: { [key: string]: string } = JSON.parse(document.getElementById("texts")!.textContent!);

// say is a text in the payer's language, with {0}, {1} … filled in.
export const say = (key: string, ...fill: (string | undefined)[]) => (texts[key] || key).replace(/\{(\d)\}/g, (_, i) => fill[+i] ?? "");

let ids = 0;
export const newID = () => "p" + ++ids;

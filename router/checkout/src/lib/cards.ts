// Card numbers, expiries and security codes as the payer types them. The switch checks all of them again.

export interface Network {
  name: string; // in the API
  word: string; // for people
  lengths: number[];
  code: number; // digits of the security code
  groups: number[];
}

const four = [4, 4, 4, 4, 3], short = [4, 6, 5, 4], to19 = [16, 17, 18, 19], any = [12, 13, 14, 15, ...to19];
const unknown: Network = { name: "", word: "", lengths: any, code: 3, groups: four };

export const networks: Network[] = [];

// ranges are the first digits of each network: those of the engine's package card.
const ranges: [from: string, to: string, n: Network][] = [];

// add takes the first digits of a network's numbers: one text, or a range such as 51-55. Of overlapping ranges, the narrow one is added first.
function add(name: string, first: string, lengths: number[], more: Partial<Network> = {}) {
  const n = { ...unknown, name, word: name, lengths, ...more };
  networks.push(n);
  for (const range of first.split(" ")) {
    const [from, to] = range.split("-");
    if (from) ranges.push([from, to || from, n]);
  }
}
add("Visa", "4", [16, 19]);
add("Mastercard", "2221-2720 51-55", [16]);
add("AmericanExpress", "34 37", [15], { word: "American Express", code: 4, groups: short });
add("DinersClub", "300-305 3095 36 38-39", [14, 16, 19], { word: "Diners Club", groups: short });
add("RuPay", "508500-508999 606985-607984 608001-608500 652150-653149 817200-819899", [16]);
add("Discover", "6011 644-649 65", [16, 19]);
add("JCB", "3528-3589", to19);
add("UnionPay", "62 81", to19);
add("Maestro", "5018 5020 5038 5893 6304 6759-6763", any);
add("CartesBancaires", "", [16], { word: "Cartes Bancaires" });
add("Interac", "", to19);

// named is the network with a name in the API, or one of which nothing is known.
export const named = (name: string) => networks.find((n) => n.name === name) || unknown;

// networkOf is the network of a number, as soon as its first digits say so.
export function networkOf(digits: string): Network {
  const first = (like: string) => digits.slice(0, like.length);
  return ranges.find(([from, to]) => digits.length >= from.length && first(from) >= from && first(to) <= to)?.[2] || unknown;
}

// digitsOf keeps the digits of a text, in whatever script they are written.
export function digitsOf(text: string): string {
  let out = "";
  for (const c of text) {
    const code = c.codePointAt(0)!;
    for (const zero of [0x30, 0xff10, 0x660, 0x6f0, 0x966]) if (code >= zero && code <= zero + 9) out += code - zero;
  }
  return out;
}

export function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    let d = +digits[digits.length - 1 - i];
    if (i % 2 && (d *= 2) > 9) d -= 9;
    sum += d;
  }
  return sum % 10 === 0;
}

export function grouped(digits: string): string {
  const out: string[] = [];
  let at = 0;
  for (const n of networkOf(digits).groups) {
    if (at < digits.length) out.push(digits.slice(at, at + n));
    at += n;
  }
  return out.join(" ");
}

export const longest = (n: Network) => n.lengths[n.lengths.length - 1];

// A fault is the key of a text, with what fills its {0}.
export type Fault = [key: string, fill?: string] | undefined;

export function numberFault(digits: string, offered: string[]): Fault {
  const n = networkOf(digits);
  if (!digits) return ["err_number"];
  if (digits.length >= 6 && n.name && offered.length && !offered.includes(n.name)) return ["err_brand", n.word];
  if (digits.length < n.lengths[0]) return ["err_short"];
  if (!n.lengths.includes(digits.length) || !luhn(digits)) return ["err_luhn"];
}

export interface Expiry { month: string; year: string }

// expiryOf reads month and year: 1/30, 0130, 01 / 2030, 2030-01.
export function expiryOf(text: string): Expiry | undefined {
  const parts = text.split(/[^\d\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]+/).map(digitsOf).filter(Boolean);
  let month = "", year = "";
  if (parts.length === 2) [month, year] = parts[0].length === 4 ? [parts[1], parts[0]] : parts;
  else if (parts.length === 1) {
    const d = parts[0];
    if (d.length === 4 || d.length === 6) [month, year] = [d.slice(0, 2), d.slice(2)];
    else if (d.length === 3 && d[0] !== "0" && d[0] !== "1") [month, year] = [d[0], d.slice(1)];
  }
  if (!month || month.length > 2 || (year.length !== 2 && year.length !== 4)) return undefined;
  return { month: month.padStart(2, "0"), year: year.length === 2 ? "20" + year : year };
}

// expiryFault checks an expiry. A card is good to the last day of its month, and a day longer for clocks that are wrong.
export function expiryFault(text: string, now: Date): Fault {
  if (!digitsOf(text)) return ["err_expiry"];
  const e = expiryOf(text);
  const first = e ? e.month : digitsOf(text).slice(0, 2);
  if (first.length === 2 && (+first < 1 || +first > 12)) return ["err_month", first];
  if (!e) return ["err_expiry"];
  if (Date.UTC(+e.year, +e.month, 1) + 864e5 <= now.getTime()) return +e.year < now.getUTCFullYear() - 30 ? ["err_year"] : ["err_past"];
  if (+e.year > now.getUTCFullYear() + 50) return ["err_year"];
}

// spacedExpiry writes what was typed as MM / YY. Whoever types 1 first may mean January or the months from 10.
export function spacedExpiry(text: string): string {
  if (/^\s*\d{4}[-/.\s]/.test(text)) return text;
  let d = digitsOf(text);
  const cut = /[^\d\s]/.test(text.trim());
  if (/^[2-9]/.test(d) || (cut && /^\d\D/.test(text.trim()))) d = "0" + d;
  if (d.length < 3) return d.length === 2 && cut ? d + " / " : d;
  return d.slice(0, 2) + " / " + d.slice(2, 6);
}

export function codeFault(digits: string, n: Network): Fault {
  if (!digits) return ["err_cvc"];
  if (n.name ? digits.length !== n.code : digits.length < 3 || digits.length > 4) return ["err_cvc_digits", n.name ? String(n.code) : "3"];
}

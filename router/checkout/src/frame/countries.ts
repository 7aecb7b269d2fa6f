// countryOptions are the countries of ISO 3166-1, in the payer's language. Browsers know which codes are countries, and their names.
export function countryOptions(): [string, string][] {
  const language = document.documentElement.lang, names = new Intl.DisplayNames([language], { type: "region", fallback: "none" }), out: [string, string][] = [];
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", no = /AC|CP|DG|EA|EU|EZ|IC|QO|TA|UN|X.|ZZ|CQ/; // names of regions that are no countries
  for (const a of letters) for (const b of letters) {
    const code = a + b, name = no.test(code) ? "" : names.of(code);
    if (name && new Intl.Locale("und-" + code).region === code) out.push([code, name]);
  }
  return out.sort((a, b) => a[1].localeCompare(b[1], language));
}

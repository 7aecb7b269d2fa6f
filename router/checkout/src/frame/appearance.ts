import { Bag } from "../lib/wire";

// The shop's wishes about the looks. They go through closed lists of variables, selectors and properties into a sheet of their own, so that no wish can
// load, script or hide something.

type Values = { [name: string]: string };

const dark: Values = { colorBackground: "#1a1f36", colorText: "#e0e3ee", colorTextSecondary: "#b6bcd0", colorTextPlaceholder: "#9aa2bb", colorPrimary: "#85d996",
  borderColor: "#7b84a3", colorDanger: "#ff9d97", colorInput: "#22284a" };
const themes: { [name: string]: Values } = {
  default: {}, midnight: dark,
  charcoal: { colorBackground: "#292929", colorText: "#f2f2f2", colorTextSecondary: "#c9c9c9", colorTextPlaceholder: "#a8a8a8", colorPrimary: "#f5fb1f",
    borderColor: "#8c8c8c", colorDanger: "#ffa39e", colorInput: "#333" },
  soft: { colorBackground: "#3e3e3e", colorText: "#f2f2f2", colorTextSecondary: "#d0d0d0", colorTextPlaceholder: "#b5b5b5", colorPrimary: "#a9b6ff",
    borderColor: "#9a9a9a", colorDanger: "#ffb3ae", colorInput: "#474747", borderRadius: "10px" },
  brutal: { colorText: "#000", colorPrimary: "#a35a00", borderColor: "#3d3d3d", borderWidth: "2px", shadowInput: "0.15rem 0.15rem 0 #3d3d3d" },
  bubblegum: { colorText: "#424770", colorPrimary: "#c2185b", borderColor: "#a05d7e", borderRadius: "2px", shadowInput: "0 2px 4px #f0d2e0" },
  none: { borderRadius: "0" },
};

// variables are the names that a shop may set, and the default of each.
const variables: Values = {
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif", fontSizeBase: "16px", fontSizeSm: "14px", fontSizeXs: "13px", fontWeightNormal: "400",
  fontWeightMedium: "500", fontLineHeight: "1.5", fontSmooth: "auto", fontVariantLigatures: "normal", fontVariationSettings: "normal",
  colorPrimary: "#0b5cad", colorPrimaryText: "#fff", colorBackground: "#fff", colorInput: "#fff", colorText: "#1b1f24", colorTextSecondary: "#4b535c",
  colorTextPlaceholder: "#666d75", colorDanger: "#b3261e", colorSuccess: "#1c6b3a", borderRadius: "6px", borderColor: "#868d95", borderWidth: "1px",
  spacingUnit: "8px", spacingGridRow: "16px", spacingGridColumn: "12px", spacingAccordionItem: "8px", shadowInput: "none", buttonHeight: "48px",
  buttonWidth: "100%", buttonBorderWidth: "1px", buttonTextFontSize: "16px", buttonTextFontWeight: "600",
};
// derived are the variables whose default is another variable.
const derived: Values = { colorDangerText: "colorDanger", buttonBackgroundColor: "colorPrimary", buttonBorderRadius: "borderRadius",
  buttonBorderColor: "buttonBackgroundColor", borderColorSelected: "colorPrimary", focusColor: "colorPrimary", colorSuccessText: "colorText",
  buttonTextColor: "colorPrimaryText" };

const classes = "Tab(Label|Icon|More)?|Label|Input(Logo)?|Error|Block|Checkbox(Label|Input)?|PickerItem|TermsTextLabel|InfoElement|Button";
const part = `\\.(${classes})(--(selected|invalid|empty|checked|complete|focused))?` +
  "(:(hover|focus|active|disabled|(-webkit-)?autofill))?(::(placeholder|selection))?";
const selector = new RegExp(`^${part}(\\s*[\\s,]\\s*${part})*$`);

// properties are those that a rule may set. None of them places a part over another, makes it vanish or takes the focus ring away.
const properties = new RegExp("^((background|caret|accent|-webkit-text-fill)-color|background|color|(border|font|margin|padding|transition)(-[a-z]+)*|(box|text)-shadow|fill|" +
  "letter-spacing|line-height|text-(align|decoration|transform)|(min-|max-)?height|width|gap|-webkit-font-smoothing)$");

const safe = /^[^{}@\\;<>]{0,200}$/;
const unsafe = /url\s*\(|image|expression|attr\s*\(|element\s*\(|env\s*\(|var\s*\(|\/\*/i;

export function value(v: unknown): string | undefined {
  const text = typeof v === "number" ? String(v) : v;
  if (typeof text !== "string" || !safe.test(text) || unsafe.test(text)) return undefined;
  // An open bracket or quote would swallow the rules that follow.
  let rest = text.replace(/"[^"\n]*"|'[^'\n]*'/g, "");
  for (let before = ""; before !== rest;) rest = (before = rest).replace(/\([^()]*\)/g, "");
  if (/["'()[\]\n]/.test(rest)) return undefined;
  return text.replace(/\s*!important\s*$/i, "");
}

const dashed = (name: string) => name.replace(/[A-Z]/g, (c) => "-" + c.toLowerCase()).replace(/^webkit-/, "-webkit-");

const warned: { [text: string]: boolean } = {};
export function warn(text: string) {
  if (warned[text]) return;
  warned[text] = true;
  console.warn("payswitch: " + text);
}

let sheet: CSSStyleSheet | undefined;

// styled returns the style sheet of an appearance.
export function styled(a: Bag): string {
  const scheme = a.colorScheme === "auto" ? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light") : a.colorScheme;
  for (const name of Object.keys(a)) if (!/^(theme|labels|innerLayout|colorScheme|variables|rules)$/.test(name)) warn(`appearance: ${name} has no effect`);
  if (a.theme && !Object.keys(themes).includes(a.theme)) warn("appearance.theme has no effect");
  const theme = themes[a.theme] || {};
  const all: Values = { ...variables, ...(scheme === "dark" && (!a.theme || a.theme === "default") ? dark : {}), ...theme };
  for (const name in a.variables) {
    const v = value(a.variables[name]);
    if (!(name in { ...variables, ...derived })) warn(`appearance.variables: ${name} has no effect`);
    else if (v === undefined) warn(`appearance.variables: the value of ${name} is not allowed`);
    else all[name] = v;
  }
  if (!a.variables?.colorPrimaryText && luminance(all.buttonBackgroundColor || all.colorPrimary) > 0.183) all.colorPrimaryText = "#000"; // where white has less than 4.5
  for (const name in derived) all[name] ||= all[derived[name]];
  let css = ":root{";
  for (const name in all) css += `--${name}:${all[name]};`;
  css += "}";
  for (const where in a.rules) {
    if (!selector.test(where)) {
      warn(`appearance.rules: the selector ${where} is not allowed`);
      continue;
    }
    let body = "";
    for (const name in a.rules[where]) {
      const property = dashed(name), v = value(a.rules[where][name]);
      if (!properties.test(property) || v === undefined) warn(`appearance.rules: ${where} may not set ${property} so`);
      else body += `${property}:${v};`;
    }
    css += `${where}{${body}}`;
  }
  return css;
}

// dressed returns the rules that the option style of a card field stands for: base, complete, empty and invalid, each with :hover and the like in it.
export function dressed(style: Bag): Bag {
  const rules: Bag = {};
  for (const state of ["base", "complete", "empty", "invalid"]) {
    const where = ".Input" + (state === "base" ? "" : "--" + state), given = style[state] || {};
    for (const name in given) {
      const inner = given[name] && typeof given[name] === "object" ? name : "";
      rules[where + inner] = { ...rules[where + inner], ...(inner ? given[name] : { [name]: given[name] }) };
    }
  }
  return rules;
}

// apply puts an appearance into force. A dark background gets an edge of its own if the form is grounded.
export function apply(a: Bag, grounded: boolean) {
  sheet ||= new CSSStyleSheet();
  sheet.replaceSync(styled(a));
  document.adoptedStyleSheets = [sheet];
  const d = document.documentElement.dataset, low = (v: unknown) => String(v).toLowerCase();
  const tight = low(a.innerLayout) === "compressed", labels = low(a.labels); // rows without room have no place for labels
  d.labels = labels === "never" || (labels === "floating" && !tight) ? labels : "above";
  d.inner = tight ? "compressed" : "spaced";
  const of = getComputedStyle(document.documentElement), v = (name: string) => of.getPropertyValue("--" + name);
  const dim = luminance(v("colorBackground")) < 0.4; // light text needs its ground, whatever the shop's page has
  document.body.classList.toggle("ground", dim && grounded);
  document.body.classList.toggle("flat", dim && !grounded);
  for (const [front, back] of [["colorText", "colorInput"], ["colorDangerText", "colorBackground"], ["buttonTextColor", "buttonBackgroundColor"]]) {
    const a = luminance(v(front)), b = luminance(v(back)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) warn(`appearance: ${front} on ${back} has a contrast of ${ratio.toFixed(1)}: people need 4.5`);
  }
}

// luminance is the relative luminance of a colour, by WCAG.
function luminance(colour: string): number {
  const e = document.createElement("i");
  e.style.color = colour;
  document.documentElement.append(e);
  const parts = (getComputedStyle(e).color.match(/[\d.]+/g) || []).map(Number);
  e.remove();
  const [r, g, b] = parts.map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// fonts loads the shop's fonts from https addresses.
export function fonts(list: unknown) {
  if (!Array.isArray(list)) return;
  for (const f of list) {
    const src = /https:\/\/[^"'()\\\s]+/.exec(f?.src);
    if (!src || typeof f.family !== "string") {
      warn("fonts: a font needs family and src, with an https address");
      continue;
    }
    const failed = () => warn("fonts: " + f.family + " could not be loaded");
    try {
      const face = new FontFace(f.family, `url("${src}")`, { weight: String(f.weight || "normal"), style: String(f.style || "normal") });
      document.fonts.add(face);
      face.load().catch(failed);
    } catch {
      failed();
    }
  }
}

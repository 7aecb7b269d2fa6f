import { Bag } from "../lib/wire";
import { warn } from "./appearance";

// The options of an element, by the kind of their value.

const kinds: { [kind: string]: string } = {
  string: "customMessageForCardTerms paymentMethodsHeaderText savedPaymentMethodsHeaderText placeholder redirectionInfo",
  boolean: "displaySavedPaymentMethodsCheckbox displaySavedPaymentMethods savedPaymentMethodsCheckboxCheckedByDefault hideExpiredPaymentMethods displayDefaultSavedPaymentIcon " +
    "hideCardNicknameField alwaysSendCustomerAcceptance readOnly displayBillingDetails disabled hideIcon showIcon showError",
  object: "defaultValues business terms fields billingAddress style classes",
  array: "paymentMethodOrder customMethodNames subscriptionEvents",
  any: "layout sdkHandleConfirmPayment sdkHandleSavePayment",
};

// layout are the options in layout.
const layout = "type defaultCollapsed radios spacedAccordionItems maxAccordionItems savedMethodCustomization".split(" ");

// tidy leaves out options that are unknown or have no effect here, and those whose value has another kind than it should: their default counts. It says so: a shop must not
// break for an option that we have not heard of.
export function tidy(given: unknown): Bag {
  const o: Bag = {}, all = inner(given);
  for (const name of Object.keys(all)) {
    const v = all[name], kind = Object.keys(kinds).find((k) => kinds[k].split(" ").includes(name));
    if (v === null) continue;
    if (!kind) warn(`the option ${name} has no effect`);
    else if (kind !== "any" && kind !== (Array.isArray(v) ? "array" : typeof v)) warn(`the option ${name} must be of the kind ${kind}`);
    else o[name] = v;
  }
  if (typeof o.layout === "string") o.layout = { type: o.layout };
  o.layout = inner(o.layout);
  for (const name of Object.keys(o.layout)) if (!layout.includes(name)) warn(`the option layout.${name} has no effect`);
  if (o.savedPaymentMethodsCheckboxCheckedByDefault) warn("savedPaymentMethodsCheckboxCheckedByDefault: such a consent does not hold in the EU");
  return o;
}

// inner is an object within an option, or an empty one.
export const inner = (v: unknown): Bag => (v && typeof v === "object" ? (v as Bag) : {});

// asksFor reports whether the form may ask for a detail of billing, such as email or address.zip: fields.billingDetails says never for some or all.
export function asksFor(o: Bag, key: string): boolean {
  let at: unknown = o.fields?.billingDetails;
  for (const name of key === "address.zip" ? ["address", "postalCode"] : key.split(".")) {
    if (at === "never") return false;
    at = inner(at)[name];
  }
  return at !== "never";
}

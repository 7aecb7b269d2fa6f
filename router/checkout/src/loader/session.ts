import { Bag } from "../lib/wire";
import { Element } from "./element";
import { Group } from "./group";
import { failed, get, Settings, text } from "./hyper";

// The calls with which a page lists the customer's saved cards by itself, and pays with one of them.

export function session(s: Settings, o: Bag, groups: () => Group[]) {
  let secret = text(o.clientSecret);
  return {
    updateIntent: async (change: () => Promise<string>) => {
      try {
        secret = String(await change());
        return { status: "succeeded" };
      } catch (e) {
        return failed("api_error", String((e as Error)?.message || e));
      }
    },
    getCustomerSavedPaymentMethods: async (wish?: Bag) => {
      const hide = Object(wish).hiddenPaymentMethods, hidden: string[] = Array.isArray(hide) ? hide : [];
      let list: Bag[];
      try {
        const answer = await get(s, "/customers/payment_methods?client_secret=" + encodeURIComponent(secret));
        list = (answer.customer_payment_methods || []).filter((m: Bag) => !hidden.includes(m.payment_method) && !hidden.includes(m.payment_method_type));
      } catch (e) {
        return failed("api_error", String((e as Bag)?.message || "They could not be read."), (e as Bag)?.code);
      }
      const none = failed("no_data", "There is no saved card.");
      const last = () => [...list].sort((a, b) => (String(a.last_used_at) < String(b.last_used_at) ? 1 : -1))[0];
      const standard = () => list.find((m) => m.default_payment_method_set);
      const pay = async (m: Bag | undefined, p?: Bag) => (m ? confirm(m, Object(p)) : none);
      return {
        getCustomerSavedPaymentMethods: () => list,
        getCustomerDefaultSavedPaymentMethodData: () => standard() || none, getCustomerLastUsedPaymentMethodData: () => last() || none,
        confirmWithCustomerDefaultPaymentMethod: (p?: Bag) => pay(standard(), p), confirmWithLastUsedPaymentMethod: (p?: Bag) => pay(last(), p),
      };
    },
  };

  // confirm pays with a saved card: in the mounted frame of the security code, or in a hidden one if the card needs none.
  async function confirm(m: Bag, p: Bag): Promise<Bag> {
    const params = { token: m.payment_token, plain: !m.requires_cvv, network: (m.card && m.card.card_network) || "" };
    if (m.requires_cvv) {
      const group = groups().filter((g) => g.elements.get("cardCvc")?.mounted() && (g.options.clientSecret || secret) === secret).pop();
      if (!group) return failed("cvc_widget_not_found", "This card needs an element cardCvc.");
      if (!group.options.clientSecret) group.update({ clientSecret: secret });
      return group.confirm(group.elements.get("cardCvc")!, p.confirmParams || {}, p.redirect, params);
    }
    const group = new Group(s, { clientSecret: secret }), place = document.createElement("div"), frame = new Element(group, "cardCvc", {});
    place.hidden = true;
    document.body.append(place);
    frame.mount(place);
    try {
      return await group.confirm(frame, p.confirmParams || {}, p.redirect, params);
    } finally {
      frame.unmount();
      place.remove();
    }
  }
}

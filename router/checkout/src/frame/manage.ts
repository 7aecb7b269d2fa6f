import { Bag } from "../lib/wire";
import { call, Credentials, Refused } from "./api";
import { make, newID, say } from "./dom";
import { cardLine, inOrder, Saved, savedOf } from "./saved";

// The widget with which customers manage their saved cards.

export async function manage(c: Credentials, o: Bag, place: HTMLElement, resized: () => void): Promise<Bag | undefined> {
  let list: Saved[] = [], customer = "";
  const origin = new URLSearchParams(location.search).get("origin"); // the frame listens to this page alone
  const news = make("p", { class: "hidden", role: "status" });

  async function read() {
    const answer = await call(c, "GET", "/customers/payment_methods?origin=" + origin);
    list = inOrder((answer.customer_payment_methods || []).filter((m: any) => m.payment_method === "card").map(savedOf));
    customer = answer.customer_payment_methods?.[0]?.customer_id || customer;
  }

  function row(s: Saved): HTMLElement {
    const id = newID(), problem = make("p", { class: "Error", role: "alert", hidden: true });
    const remove = make("button", { type: "button", class: "link", "aria-describedby": id }, say("remove"));
    const main = make("button", { type: "button", class: "link", "aria-describedby": id, hidden: s.isDefault || s.expired }, say("make_default"));
    const yes = make("button", { type: "button", class: "link bad", "aria-describedby": id }, say("remove")), no = make("button", { type: "button", class: "link" }, say("keep"));
    const ask = make("div", { class: "ask", role: "group", hidden: true }, make("span", {}, say("remove_ask")), s.charged && make("span", { class: "small" }, say("remove_needed")), yes, no);
    const acts = make("div", { class: "acts" }, main, remove);
    const e = make("li", { class: "PickerItem" }, make("div", { class: "card", id }, ...cardLine(s, { ...o, displayDefaultSavedPaymentIcon: true })), acts, ask, problem);
    const turn = (asking: boolean) => {
      ask.hidden = !asking;
      acts.hidden = asking;
      (asking ? no : remove).focus();
      resized();
    };
    const work = async (method: string, path: string, then: string) => {
      problem.hidden = true;
      yes.disabled = main.disabled = true;
      try {
        await call(c, method, path, method === "POST" ? {} : undefined);
        await read();
        draw();
        news.textContent = then ? say(then) : "";
        place.querySelector<HTMLElement>("button, .none")?.focus();
      } catch (error) {
        yes.disabled = main.disabled = false;
        turn(false);
        problem.textContent = error instanceof Refused ? error.message : say("try_again");
        problem.hidden = false;
        resized();
      }
    };
    remove.onclick = () => turn(true);
    no.onclick = () => turn(false);
    yes.onclick = () => work("DELETE", "/payment_methods/" + encodeURIComponent(s.id), "removed");
    main.onclick = () => work("POST", `/customers/${encodeURIComponent(customer)}/payment_methods/${encodeURIComponent(s.id)}/default`, "");
    return e;
  }

  function draw() {
    const head = make("h2", {}, o.savedPaymentMethodsHeaderText || say("saved"));
    place.replaceChildren(make("div", { class: "form manage" }, head, list.length ? make("ul", {}, ...list.map(row)) : make("p", { class: "none", tabindex: -1 }, say("none_saved")), news));
    resized();
  }

  try {
    await read();
  } catch (e) {
    return e instanceof Refused ? { type: "invalid_request_error", code: e.code, message: e.message } : { type: "api_error", message: say("cannot_load") };
  }
  draw();
}

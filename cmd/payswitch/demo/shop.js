// A checkout without a library: what a shop's own page sends to the API.
"use strict";

const find = (id) => document.getElementById(id);
const form = find("shop"), pay = find("pay"), message = find("message"), log = find("log");

// call sends one request and notes it in the list beside the form.
async function call(method, path, body, authorization) {
  const headers = {};
  if (body) headers["Content-Type"] = "application/json";
  if (authorization) headers["Authorization"] = authorization;
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  const line = document.createElement("li"), code = document.createElement("code");
  code.textContent = method + " " + path.replace(/pay_[0-9A-Za-z]+/, "{id}");
  line.append(code, " " + response.status);
  log.append(line);
  find("calls").hidden = false;
  if (!response.ok) throw new Error(answer.error ? answer.error.message : "The shop does not answer.");
  return answer;
}

const browser = () => ({
  user_agent: navigator.userAgent, accept_header: "text/html", language: navigator.language, color_depth: screen.colorDepth,
  screen_height: screen.height, screen_width: screen.width, time_zone: new Date().getTimezoneOffset(), java_enabled: false, java_script_enabled: true,
});

function say(text, field) {
  message.textContent = text;
  message.hidden = !text;
  for (const id of ["number", "expiry", "cvc"]) find(id).setAttribute("aria-invalid", String(id === field));
  if (field) find(field).focus();
}

// typed reads the card from the form, or says what is missing.
function typed() {
  const digits = (id) => find(id).value.replace(/\D/g, "");
  const expiry = digits("expiry");
  if (digits("number").length < 12) return say("Enter the card number.", "number");
  if (expiry.length !== 4 && expiry.length !== 6) return say("Enter the expiry date as month and year.", "expiry");
  if (digits("cvc").length < 3) return say("Enter the security code.", "cvc");
  say("");
  return {
    card_number: digits("number"), card_exp_month: expiry.slice(0, 2), card_exp_year: expiry.slice(2), card_cvc: digits("cvc"),
    card_holder_name: find("name").value || "Ada Lovelace",
  };
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const card = typed();
  if (!card) return;
  pay.disabled = true;
  log.replaceChildren();
  try {
    // The shop's server makes the payment with its secret key. The page gets a token for this payment alone.
    const order = await call("POST", "/demo/order", { item: form.elements.article.value, secure: find("secure").checked });
    const offer = await call("GET", "/payments/" + order.payment_id + "/client", null, order.sdk_authorization);
    if (!offer.payment_methods_enabled.some((m) => m.payment_method === "card")) throw new Error("This shop takes no cards.");
    const payment = await call("POST", "/payments/" + order.payment_id + "/confirm", {
      payment_method: "card", payment_method_data: { card }, browser_info: browser(), return_url: location.origin + "/demo/thanks",
    }, order.sdk_authorization);
    const next = payment.next_action;
    if (payment.status === "requires_customer_action" && next && next.redirect_to_url) {
      location.assign(next.redirect_to_url);
    } else if (payment.status === "failed") {
      say(payment.unified_message && payment.error_message ? payment.error_message : "The card was declined. Try another one.", "number");
    } else {
      location.assign("/demo/thanks?payment_id=" + encodeURIComponent(payment.payment_id));
    }
  } catch (error) {
    say(error.message);
  } finally {
    pay.disabled = false;
  }
});

find("number").addEventListener("input", (event) => {
  const field = event.target;
  if (field.selectionStart === field.value.length) field.value = field.value.replace(/\D/g, "").replace(/(.{4})(?=.)/g, "$1 ");
});
find("expiry").addEventListener("input", (event) => {
  const field = event.target, digits = field.value.replace(/\D/g, "");
  if (field.selectionStart === field.value.length && digits.length > 2) field.value = digits.slice(0, 2) + " / " + digits.slice(2, 6);
});
for (const button of document.querySelectorAll("button.card")) {
  button.addEventListener("click", () => {
    find("number").value = button.dataset.number;
    find("expiry").value = "10 / 50";
    find("cvc").value = "737";
    find("name").value = "Ada Lovelace";
    find("secure").checked = "secure" in button.dataset;
    say("");
    pay.focus();
  });
}

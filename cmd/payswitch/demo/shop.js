// The page of a shop with the embedded checkout: what a shop's own page does, and no more.
"use strict";

const find = (id) => document.getElementById(id);
const form = find("shop"), pay = find("pay"), message = find("message");
let hyper, elements, element;

function say(text) {
  message.textContent = text;
  message.hidden = !text;
}

// order asks the shop's server for a payment. The server knows the price; the page gets the payment's client secret.
async function order() {
  const response = await fetch("/demo/order", { method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ item: form.elements.article.value, secure: find("secure").checked }) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ? answer.error.message : "The shop does not answer.");
  return answer;
}

// begin shows the checkout for what is in the cart.
async function begin() {
  say("");
  pay.disabled = true;
  try {
    const p = await order();
    if (element) element.destroy();
    hyper = Hyper(p.publishable_key);
    elements = hyper.elements({ clientSecret: p.client_secret, appearance: { colorScheme: "auto" } });
    element = elements.create("payment", { business: { name: "Harbour Coffee" } });
    element.on("ready", () => { pay.disabled = false; });
    element.mount("#checkout");
  } catch (error) {
    say(error.message);
  }
}

form.addEventListener("change", begin);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  pay.disabled = true;
  say("");
  const answer = await hyper.confirmPayment({ elements, confirmParams: { return_url: location.origin + "/demo/thanks" }, redirect: "if_required" });
  pay.disabled = false;
  if (!answer.error) location.assign("/demo/thanks?payment_id=" + encodeURIComponent(answer.payment_id));
  else if (answer.error.type !== "validation_error" && answer.error.type !== "card_error") say(answer.error.message); // the form itself shows these two
});
for (const button of document.querySelectorAll("button.card")) {
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.number.replace(/ /g, ""));
      find("copied").textContent = button.dataset.number + " is on the clipboard.";
    } catch {
      find("copied").textContent = "Type " + button.dataset.number + ".";
    }
    if (("secure" in button.dataset) !== find("secure").checked) {
      find("secure").checked = "secure" in button.dataset;
      begin();
    }
  });
}
begin();

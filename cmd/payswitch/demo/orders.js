// The page of the orders: it asks the shop's server every second, and shows what has come since.
"use strict";

const find = (id) => document.getElementById(id);

// row makes a row of a table. A text stands as text, whatever it holds.
function row(key, value, cells) {
  const tr = document.createElement("tr");
  tr.dataset[key] = value;
  for (const [kind, text, name] of cells) {
    const td = document.createElement("td"), inner = kind ? document.createElement(kind) : td;
    inner.textContent = text;
    if (name) inner.className = name;
    if (inner !== td) td.append(inner);
    tr.append(td);
  }
  return tr;
}

function show(seen) {
  const placed = find("placed");
  for (const o of [...seen.orders].reverse()) {
    const old = placed.querySelector(`[data-payment="${CSS.escape(o.payment_id)}"]`);
    if (!old) placed.prepend(row("payment", o.payment_id, [["", o.item], ["span", o.state, "state " + o.state], ["", o.amount, "number"], ["code", o.payment_id]]));
    else if (old.querySelector(".state").textContent !== o.state) {
      old.querySelector(".state").textContent = o.state;
      old.querySelector(".state").className = "state " + o.state;
    }
  }
  const events = find("events"), last = Number(events.firstElementChild?.dataset.number || 0);
  for (const e of [...seen.events].reverse()) {
    if (e.number <= last) continue;
    events.prepend(row("number", e.number, [["", e.at.slice(11, 19)], ["code", e.event_type], ["", e.amount, "number"], ["code", e.payment_id]]));
  }
  find("no-orders").hidden = seen.orders.length > 0;
  find("no-events").hidden = seen.events.length > 0;
  find("refused").hidden = !seen.refused;
  find("refused").querySelector("span").textContent = seen.refused;
}

setInterval(async () => {
  if (document.hidden) return;
  try {
    const response = await fetch("/demo/orders.json");
    if (response.ok) show(await response.json());
  } catch { /* the shop is away: the next second asks again */ }
}, 1000);

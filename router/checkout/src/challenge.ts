// The page around the bank's page. It gets one port, and says on it that something has ended. That proves nothing: the frame asks the switch.

const texts = JSON.parse(document.getElementById("texts")!.textContent!);
const root = document.getElementById("root")!;

function make(tag: string, attributes: { [name: string]: string }, ...children: (Node | string)[]): HTMLElement {
  const e = document.createElement(tag);
  for (const name in attributes) e.setAttribute(name, attributes[name]);
  e.append(...children);
  return e;
}

function start(m: any, port: MessagePort) {
  const inner = make("iframe", { name: "bank", title: texts.title, sandbox: "allow-forms allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox",
    allow: "payment; publickey-credentials-get" }) as HTMLIFrameElement;
  addEventListener("message", (e) => {
    const kind = e.origin === location.origin && e.data && e.data.type;
    if (kind === "3ds_method_done" || kind === "3ds_challenge_done") port.postMessage("done");
  });
  const form = make("form", { method: "post", action: m.url, target: "bank", hidden: "" }) as HTMLFormElement;
  for (const name in m.fields) form.append(make("input", { type: "hidden", name, value: m.fields[name] }));
  if (m.hidden) {
    root.append(inner, form);
    form.submit();
    return;
  }
  const status = make("p", { role: "status" }, texts.loading);
  const cancel = make("button", {}, texts.cancel);
  const other = make("button", { class: "link", hidden: "" }, texts.window);
  const goOn = make("button", { class: "go" }, texts.go_on);
  const stop = make("button", {}, texts.stop);
  const question = make("div", { class: "ask", hidden: "", role: "alertdialog", "aria-labelledby": "q" }, make("h1", { id: "q" }, texts.ask), make("div", {}, goOn, stop));
  const box = make("div", { class: "box" }, make("header", {}, make("h1", {}, texts.title), cancel), make("div", { class: "bank" }, status, inner), other, form);
  if (m.size) {
    [inner.width, inner.height] = m.size;
    box.style.maxWidth = m.size[0] + 2 + "px";
  } else box.className = "box full";
  root.append(box, question);
  // The question covers the box: the keyboard does not reach what lies below.
  const covers = (asked: boolean) => {
    box.inert = asked;
    question.hidden = !asked;
    (asked ? goOn : cancel).focus();
  };
  cancel.onclick = () => covers(true);
  goOn.onclick = () => covers(false);
  stop.onclick = () => port.postMessage("stop");
  other.onclick = () => port.postMessage("window");
  addEventListener("keydown", (e) => {
    if (e.key !== "Escape") return;
    e.preventDefault();
    covers(question.hidden);
  });
  port.onmessage = (e) => e.data === "ask" && covers(true);
  inner.onload = () => { // browsers differ in when they load the empty page before the bank's, which is of another site as a rule
    status.hidden = inner.contentDocument?.URL !== "about:blank";
  };
  setTimeout(() => { other.hidden = false; }, 10000);
  form.submit();
  cancel.focus();
}

// The first message comes from the frame with the fields, for the 3DS method, or from the shop's page around this one, which only passes a port on.
addEventListener("message", function first(e) {
  const port = e.ports[0], shop = new URLSearchParams(location.search).get("origin");
  if (e.source !== parent || (e.origin !== location.origin && e.origin !== shop) || !port) return;
  removeEventListener("message", first);
  if (e.origin === location.origin && e.data && e.data.hidden) return start(e.data, port);
  port.onmessage = (told) => start(told.data, port);
});

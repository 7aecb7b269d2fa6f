import { firm } from "../lib/wire";

// The dialog with the bank's page: in the browser's top layer, above whatever the shop shows. The page in it draws box, name and buttons.

export function dialog(address: string, name: string, port: MessagePort, leaves: (gone: boolean) => void): () => void {
  const box = document.createElement("dialog"), frame = document.createElement("iframe");
  firm(box, "position:fixed;inset:0;margin:0;padding:0;border:0;width:100vw;height:100%;max-width:none;max-height:none;background:transparent;overflow:hidden;z-index:99999999");
  firm(frame, "display:block;border:0;width:100%;height:100%;background:transparent;color-scheme:light");
  box.setAttribute("aria-label", name);
  frame.title = name;
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox");
  frame.allow = "payment *; publickey-credentials-get *";
  let over = false, given = false;
  frame.addEventListener("load", () => {
    if (given) return;
    given = true;
    frame.contentWindow!.postMessage(0, new URL(address).origin, [port]);
    frame.focus();
  });
  frame.src = address;
  const before = document.activeElement;
  box.addEventListener("cancel", (e) => {
    e.preventDefault(); // Escape asks first
    leaves(false);
  });
  box.addEventListener("close", () => over || leaves(true));
  box.append(frame);
  document.body.append(box);
  box.showModal?.(); // older browsers know no dialogs, and show the box where its styles put it
  return () => {
    if (over) return;
    over = true;
    if (box.open) box.close();
    box.remove();
    if (before instanceof HTMLElement) before.focus();
  };
}

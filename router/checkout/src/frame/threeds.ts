import { Bag, wait } from "../lib/wire";
import { base, call, Credentials, local, paymentOf, Refused, retrieve } from "./api";
import { make } from "./dom";

// 3-D Secure in place: the 3DS method in a hidden frame, the authentication, and the challenge in a dialog of the shop's page.

export interface Stage {
  open(port: MessagePort): void; // shows the dialog
  close(): void;
  leave(url: string): void;
  address(page: string): string; // of a page of the checkout
}

const methodTime = 10_000, challengeTime = 600_000;

const windows: { [size: string]: [number, number] } = { "01": [250, 400], "02": [390, 400], "03": [500, 600], "04": [600, 400] };

export interface Challenge { gone(): void; ask(): void }

// running is the challenge under way, which the payer may want to leave.
export let running: Challenge | undefined;

// method runs the 3DS method, and returns how it ended: Y, N or U.
async function method(d: Bag, stage: Stage): Promise<string> {
  if (!d.three_ds_method_data_submission) return "U";
  return new Promise((done) => {
    const channel = new MessageChannel();
    const frame = make("iframe", { src: stage.address("challenge"), hidden: true, title: "3-D Secure",
      sandbox: "allow-scripts allow-same-origin allow-forms" });
    const end = (how: string) => {
      clearTimeout(timer);
      channel.port1.close();
      frame.remove();
      done(how);
    };
    const timer = setTimeout(() => end("N"), methodTime);
    channel.port1.onmessage = (e) => e.data === "done" && end("Y");
    frame.onload = () => frame.contentWindow!.postMessage({ hidden: true, url: d.three_ds_method_url,
      fields: { [d.three_ds_method_key]: d.three_ds_method_data } }, location.origin, [channel.port2]);
    document.body.append(frame);
  });
}

// settled asks the switch until the payer has nothing left to do. The first questions come quickly, because most results are there already.
export async function settled(c: Credentials, until: number, pause?: number): Promise<any> {
  for (let next = 300; ; next = Math.min(next * 1.6, 2000)) {
    const p = await retrieve(c).catch(() => undefined);
    if (p && p.status !== "requires_customer_action") return p;
    if (Date.now() > until) return p;
    await wait(pause || next);
  }
}

// invoke does what next_action three_ds_invoke asks for, and returns the payment. It returns undefined if the payer was sent away.
export async function invoke(c: Credentials, p: any, stage: Stage): Promise<any> {
  const d = p.next_action.three_ds_data, hosted = p.next_action.redirect_to_url;
  const completion = await method(d.three_ds_method_details || {}, stage);
  let a: any;
  for (let i = 0; !a; i++) {
    try {
      a = await call(c, "POST", `/payments/${paymentOf(c)}/3ds/authentication`, { client_secret: c.secret || undefined, device_channel: "BRW",
        threeds_method_comp_ind: completion, challenge_window: { width: Math.min(screen.width, 600), height: Math.min(screen.height, 700),
          full_page: screen.width < 480 } });
    } catch (e) {
      if ((e as Refused).code === "IR_04") throw e; // the order lacks a field, such as the billing address: a second question has the same answer
      if (i === 3) break;
      await wait(800 * (i + 1));
    }
  }
  // The same address ends the authentication for every client. Its answer is a page for frames, which nobody needs here.
  const finish = () => fetch(local(d.three_ds_authorize_url), { method: "POST", redirect: "manual", credentials: "omit" }).catch(() => undefined);
  if (a && a.trans_status === "C") {
    if (!a.acs_url) return stage.leave(hosted);
    return challenge(c, a, hosted, stage, finish);
  }
  await finish();
  p = (await settled(c, Date.now() + 60_000)) || p;
  if (a?.cardholder_info) p.cardholder_info = a.cardholder_info;
  return p;
}

// challenge shows the bank's page. However it ends, the switch is asked, and its answer counts.
async function challenge(c: Credentials, a: any, hosted: string, stage: Stage, finish: () => Promise<any>): Promise<any> {
  const channel = new MessageChannel(), until = Date.now() + challengeTime;
  const url = new URL(a.acs_url, location.href);
  let over = false, gone = false;
  let wake = () => {};
  channel.port1.onmessage = (e) => {
    if (e.data === "done") over = true;
    else if (e.data === "stop") gone = true;
    else if (e.data === "window") return stage.leave(hosted);
    wake();
  };
  running = { gone: () => { gone = true; wake(); }, ask: () => channel.port1.postMessage("ask") };
  const seen = () => document.visibilityState === "visible" && wake();
  document.addEventListener("visibilitychange", seen); // the payer comes back from the bank's app
  stage.open(channel.port2);
  channel.port1.postMessage({ url: url.origin === location.origin ? base + url.pathname.slice(Math.max(url.pathname.search(/\/(3ds|sim)\//), 0)) + url.search : url.href,
    fields: { [a.challenge_request_key || "creq"]: a.challenge_request, threeDSSessionData: a.three_ds_session_data || "" },
    size: windows[a.challenge_window_size] });
  try {
    for (;;) {
      if (!gone && !over) await Promise.race([wait(3000), new Promise<void>((done) => { wake = done; })]);
      if (gone || over) {
        await finish();
        const p = await settled(c, Date.now() + 60_000);
        if (p && gone) p.left = true;
        return p;
      }
      const p = await retrieve(c).catch(() => undefined);
      if (p && p.status !== "requires_customer_action") return p;
      if (Date.now() > until) gone = true;
    }
  } finally {
    document.removeEventListener("visibilitychange", seen);
    running = undefined;
    channel.port1.close();
    stage.close();
  }
}

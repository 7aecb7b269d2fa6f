// loadHyper for bundlers: point the alias of the shop's SDK at this module. It loads the script, and gives what the script makes.

type Bag = { [key: string]: any };

let loading: Promise<any> | undefined, asked = "";

// home is the switch's address: customBackendUrl, or where a browser has this module from. A bundle comes from the shop.
const home = (o: Bag) => String(o.customBackendUrl || /^https?:.*(?=\/checkout\/hyper\.mjs)/.exec(import.meta.url)?.[0] || "").replace(/\/+$/, "");

export async function loadHyper(key: string | Bag, options?: Bag): Promise<any> {
  if (typeof window === "undefined") return null;
  const own = window as any, to = home(Object(options)), at = to + "/HyperLoader.js";
  if (own.Hyper) return own.Hyper(key, options);
  if (!to) throw new Error("payswitch: loadHyper needs the option customBackendUrl: the address of payswitch");
  if (!loading || asked !== at) {
    asked = at;
    loading = new Promise<void>((done, failed) => {
      const script = document.createElement("script");
      script.src = at;
      script.onload = script.onerror = () => {
        if (own.Hyper) return done();
        loading = undefined;
        failed(new Error("payswitch: the script " + at + " could not be loaded"));
      };
      document.head.append(script);
    });
  }
  await loading;
  return own.Hyper(key, options);
}

export function loadStripe(key: string | Bag, options?: Bag): Promise<any> {
  console.warn("payswitch: loadStripe is deprecated, call loadHyper");
  return loadHyper(key, options);
}

// loadHyper for bundlers: point the alias of the shop's SDK at this module. It loads the script, and gives what the script makes.

type Bag = { [key: string]: any };

let loading: Promise<any> | undefined, asked = "";

function home(o: Bag): string {
  const url = String(o.customBackendUrl || "") || new URL("..", import.meta.url).href;
  return url.replace(/\/+$/, "");
}

export function loadHyper(key: string | Bag, options: Bag = {}): Promise<any> {
  if (typeof window === "undefined") return Promise.resolve(null);
  const own = window as any, at = home(options) + "/HyperLoader.js";
  if (own.Hyper) return Promise.resolve(own.Hyper(key, options));
  if (!loading || asked !== at) {
    asked = at;
    loading = new Promise<void>((done, failed) => {
      const script = document.createElement("script");
      script.src = at;
      script.onload = () => done();
      script.onerror = () => {
        loading = undefined;
        failed(new Error("payswitch: the script " + at + " could not be loaded"));
      };
      document.head.append(script);
    });
  }
  return loading.then(() => own.Hyper(key, options));
}

export function loadStripe(key: string | Bag, options: Bag = {}): Promise<any> {
  console.warn("payswitch: loadStripe is deprecated, call loadHyper");
  return loadHyper(key, options);
}

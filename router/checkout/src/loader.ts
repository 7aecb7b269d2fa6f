import { hyperOf, warn } from "./loader/hyper";

// The script for the shop's page. It defines window.Hyper, and loads nothing before it is called.

const script = (document.currentScript as HTMLScriptElement | null)?.src || "";
const home = script.replace(/\/(?:v\d\/HyperLoader|HyperLoader|checkout\/\w+\/loader)\.js(?:[?#].*)?$/, "");
const own = window as any;
const Hyper = (key: unknown, options?: unknown) => hyperOf(home, key, options);
if (own.Hyper) warn("this page has loaded the script twice");
own.Hyper = Object.assign(Hyper, { init: Hyper });

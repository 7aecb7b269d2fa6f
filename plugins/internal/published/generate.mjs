// Makes plugins/<adapter>/testdata/client.schema.json from the client libraries that processors publish: their models' fields, types and
// values as JSON Schema, without a word of the documentation in them. README.md beside this file says how to run it.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const modules = process.argv[2]; // the node_modules that the libraries are in
const require = createRequire(join(modules, "x.js"));
const adapters = join(dirname(fileURLToPath(import.meta.url)), "../..");

// What each adapter's requests and answers are in its processor's library. only: of several alternatives, those about cards.
const libraries = {
  adyen: {
    package: "@adyen/api-library", license: "MIT, Copyright (c) 2020 Adyen", read: typescript,
    files: { "lib/src/typings/checkout/models.d.ts": ["PaymentRequest", "PaymentDetailsRequest", "PaymentCaptureRequest", "PaymentCancelRequest", "PaymentRefundRequest",
      "PaymentAmountUpdateRequest", "PaymentResponse", "PaymentDetailsResponse", "PaymentCaptureResponse", "PaymentCancelResponse", "PaymentRefundResponse",
      "PaymentAmountUpdateResponse", "ServiceError"],
      "lib/src/typings/notification/models.d.ts": ["Notification"] },
    only: { PaymentRequestPaymentMethod: ["CardDetails"], PaymentResponseAction: ["CheckoutRedirectAction", "CheckoutThreeDS2Action"] },
  },
  authorizedotnet: {
    package: "@types/authorizenet", license: "MIT, Copyright (c) Microsoft Corporation", read: classes, file: "index.d.ts",
    roots: ["CreateTransactionRequest", "CreateCustomerProfileRequest", "CreateCustomerPaymentProfileRequest", "GetTransactionDetailsRequest", "GetUnsettledTransactionListRequest",
      "GetSettledBatchListRequest", "GetTransactionListRequest"],
    // What an element of a class, or of every class, is made of: the library leaves it open.
    types: { merchantAuthentication: "MerchantAuthenticationType", transactionRequest: "TransactionRequestType", payment: "PaymentType", creditCard: "CreditCardType",
      "TransactionRequestType.profile": "CustomerProfilePaymentType", "CustomerProfilePaymentType.paymentProfile": "PaymentProfile",
      "CreateCustomerProfileRequest.profile": "CustomerProfileType", "CreateCustomerPaymentProfileRequest.paymentProfile": "CustomerPaymentProfileType",
      order: "OrderType", customer: "CustomerDataType", billTo: "CustomerAddressType", shipTo: "NameAndAddressType", cardholderAuthentication: "CcAuthenticationType",
      processingOptions: "ProcessingOptions", subsequentAuthInformation: "SubsequentAuthInformation", sorting: "TransactionListSorting", paging: "Paging" },
    lists: { userFields: ["userField", "UserField"] },
  },
  bluesnap: { // the names of its errors: its requests are years behind the API's
    package: "bluesnap", license: "MIT, Copyright (c) 2019 Storyblocks", read: typescript,
    files: { "dist/errors/enum/CardTransactionErrors.d.ts": ["CardTransactionErrors"] },
  },
  mollie: {
    package: "mollie-api-typescript", license: "BSD-2-Clause, Copyright (c) 2025, Mollie", read: typescript,
    files: { "dist/esm/models/paymentrequest.d.ts": ["PaymentRequest"], "dist/esm/models/refundrequest.d.ts": ["RefundRequest"],
      "dist/esm/models/entitycapture.d.ts": ["EntityCapture"], "dist/esm/models/entitycustomer.d.ts": ["EntityCustomer"],
      "dist/esm/models/paymentresponse.d.ts": ["PaymentResponse"], "dist/esm/models/refundresponse.d.ts": ["RefundResponse"],
      "dist/esm/models/captureresponse.d.ts": ["CaptureResponse"] },
    rename: { links: "_links", embedded: "_embedded" }, // on the wire
  },
};

// typescript reads declarations.
async function typescript(lib, root) {
  const { createGenerator } = await import(pathToFileURL(require.resolve("ts-json-schema-generator")));
  const definitions = {};
  for (const [file, types] of Object.entries(lib.files)) {
    const tsconfig = join(modules, "tsconfig.published.json");
    writeFileSync(tsconfig, JSON.stringify({ compilerOptions: { target: "es2020", module: "nodenext", moduleResolution: "nodenext", skipLibCheck: true, strict: true } }));
    for (const type of types)
      Object.assign(definitions, createGenerator({ path: join(root, file), type, tsconfig, skipTypeCheck: true }).createSchema(type).definitions);
    rmSync(tsconfig);
  }
  for (const [name, of] of Object.entries(lib.only ?? {})) definitions[name] = { anyOf: of.map((n) => ({ $ref: "#/definitions/" + n })) };
  const walk = (v) => {
    if (Array.isArray(v)) return v.map(walk);
    if (v === null || typeof v !== "object") return v;
    const known = v.anyOf?.filter((x) => !x.$ref?.startsWith("#/definitions/Unrecognized")); // a list that may grow
    if (known && known.length < v.anyOf.length) return { type: "string", enum: known.map((x) => x.const) };
    const o = {};
    for (const [k, x] of Object.entries(v)) {
      if (k === "description" && typeof x === "string") continue;
      if (k === "properties") o[k] = Object.fromEntries(Object.entries(x).map(([n, p]) => [lib.rename?.[n] ?? n, walk(p)]));
      else if (k === "required") o[k] = x.map((n) => lib.rename?.[n] ?? n);
      else o[k] = walk(x);
    }
    return o;
  };
  return [walk(definitions), Object.values(lib.files).flat()];
}

// classes reads the classes of an XML schema, whose elements stand in an order.
async function classes(lib, root) {
  const text = readFileSync(join(root, lib.file), "utf8"), found = {}, definitions = {};
  for (const [, name, base, body] of text.matchAll(/^    class (\w+)(?: extends (\w+))? \{\n(.*?)^    \}/gms))
    found[name] = { base, elements: [...body.matchAll(/^        (\w+): [^;()]+;$/gm)].map((m) => m[1]) };
  const elements = (name) => (name ? [...elements(found[name].base), ...found[name].elements] : []);
  const $ref = (name) => ({ $ref: "#/definitions/" + name });
  for (const name of Object.keys(found)) {
    const properties = {};
    for (const e of elements(name)) {
      const type = lib.types[name + "." + e] ?? lib.types[e], list = lib.lists[e];
      properties[e] = type ? $ref(type) : list ? { type: "object", additionalProperties: false, properties: { [list[0]]: { type: "array", items: $ref(list[1]) } } } : {};
    }
    definitions[name] = { type: "object", additionalProperties: false, ordered: true, properties };
  }
  return [definitions, lib.roots];
}

// reachable keeps what the roots need, under names that can be read, in order.
function reachable(definitions, roots) {
  const names = {}, used = {};
  const visit = (name) => {
    if (used[name]) return;
    used[name] = true;
    JSON.stringify(definitions[name], (k, v) => { if (k === "$ref") visit(decodeURIComponent(v.slice("#/definitions/".length))); return v; });
  };
  roots.forEach(visit);
  let n = 0;
  for (const name of Object.keys(used)) names[name] = /^[\w.]+$/.test(name) ? name : "Values" + ++n;
  const kept = Object.keys(used).sort((a, b) => (names[a] < names[b] ? -1 : 1)).map((name) => [names[name], definitions[name]]);
  return JSON.parse(JSON.stringify(Object.fromEntries(kept), (k, v) => (k === "$ref" ? "#/definitions/" + names[decodeURIComponent(v.slice("#/definitions/".length))] : v)));
}

for (const [adapter, lib] of Object.entries(libraries)) {
  const root = join(modules, lib.package);
  const { version } = JSON.parse(readFileSync(join(root, "package.json")));
  const definitions = reachable(...(await lib.read(lib, root)));
  const lines = Object.entries(definitions).map(([name, d]) => `${JSON.stringify(name)}: ${JSON.stringify(d)}`);
  writeFileSync(join(adapters, adapter, "testdata/client.schema.json"), `{
"$schema": "http://json-schema.org/draft-07/schema#",
"$comment": "Made by plugins/internal/published/generate.mjs from ${lib.package} ${version} (${lib.license}).",
"definitions": {
${lines.join(",\n")}
}}
`);
}

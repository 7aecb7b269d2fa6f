// An adapter in C, written from sdk/ABI.md alone. The processor has no network and approves every payment, except that it declines amounts whose
// last two digits are 05. Freestanding: no libc, no imports.

typedef unsigned int u32;
typedef unsigned long long u64;

#define EXPORT(name) __attribute__((export_name(#name)))

// ---- memory ----

static unsigned char in[1 << 20];  // the host writes a message here
static unsigned char out[16 << 10]; // and reads the answer here
static u32 used;

EXPORT(payswitch_alloc) u32 payswitch_alloc(u32 len) { return len <= sizeof in ? (u32)in : 0; }

static u64 answer(void) {
  u32 n = used - 4; // the length of the JSON, little-endian
  out[0] = n, out[1] = n >> 8, out[2] = n >> 16, out[3] = n >> 24;
  return (u64)(u32)out << 32 | used;
}

// ---- writing ----

typedef struct { const unsigned char *p, *end; } text; // a part of the JSON; p is 0 for a missing part

static void begin(void) { used = 4; }

static void put(const char *s) {
  while (*s && used < sizeof out) out[used++] = *s++;
}

static void put_text(text t) { // unchanged, with its escapes
  while (t.p && t.p < t.end && used < sizeof out) out[used++] = *t.p++;
}

// ---- reading: the host writes valid JSON, so this code checks nothing ----

static const unsigned char *space(const unsigned char *p, const unsigned char *end) {
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
  return p;
}

// after returns the end of the value at p.
static const unsigned char *after(const unsigned char *p, const unsigned char *end) {
  int depth = 0;
  for (; p < end; p++) {
    switch (*p) {
    case '"':
      for (p++; p < end && *p != '"'; p++)
        if (*p == '\\') p++;
      if (!depth) return p + 1;
      break;
    case '{': case '[':
      depth++;
      break;
    case '}': case ']':
      if (!depth) return p;
      if (!--depth) return p + 1;
      break;
    case ',': case ' ': case '\n': case '\r': case '\t':
      if (!depth) return p;
    }
  }
  return end;
}

static int is(text t, const char *s) {
  if (!t.p) return 0;
  const unsigned char *p = t.p;
  for (; *s; s++, p++)
    if (p >= t.end || *p != (unsigned char)*s) return 0;
  return p == t.end;
}

// member returns an object's member of that name. Strings come without their quotes.
static text member(text object, const char *name) {
  text none = {0, 0};
  if (!object.p || object.p >= object.end || *object.p != '{') return none;
  const unsigned char *p = space(object.p + 1, object.end);
  while (p < object.end && *p == '"') {
    const unsigned char *e = after(p, object.end);
    text key = {p + 1, e - 1};
    p = space(space(e, object.end) + 1, object.end); // after the colon
    e = after(p, object.end);
    if (is(key, name)) {
      text value = {p, e};
      if (*p == '"') value.p++, value.end--;
      if (is(value, "null") && *p != '"') return none;
      return value;
    }
    p = space(space(e, object.end) + 1, object.end); // after the comma
  }
  return none;
}

static u64 number(text t) { // amounts in these messages are never negative
  u64 n = 0;
  for (; t.p && t.p < t.end && *t.p >= '0' && *t.p <= '9'; t.p++) n = n * 10 + (*t.p - '0');
  return n;
}

// ---- the adapter ----

EXPORT(payswitch_manifest) u64 payswitch_manifest(void) {
  begin();
  put("{\"abi\":1,\"name\":\"c_echo\",\"kind\":\"processor\",\"version\":\"1.0.0\",\"display_name\":\"C echo\","
      "\"description\":\"Approves what it is asked for, without a network.\","
      "\"operations\":[\"authorize\",\"capture\",\"void\",\"refund\",\"sync\"],"
      "\"features\":{\"partial_capture\":true,\"partial_refund\":true},"
      "\"reference\":{\"max_length\":30},\"resolve\":{\"by\":[\"reference\",\"idempotent_resend\"],\"idempotency_window_seconds\":86400}}");
  return answer();
}

static u64 reject(const char *code, const char *message) {
  begin();
  put("{\"reject\":{\"code\":\""), put(code), put("\",\"message\":\""), put(message), put("\"}}");
  return answer();
}

// outcome writes an outcome of the given status, with an id made from the reference.
static u64 outcome(text request, const char *status, const char *id, const char *prefix, int decline) {
  text amount = member(request, "amount");
  begin();
  put("{\"outcome\":{\"status\":\""), put(status);
  put("\",\""), put(id), put("\":\""), put(prefix), put_text(member(request, "reference"));
  if (decline)
    put("\",\"decline\":{\"code\":\"05\",\"message\":\"Do not honor\",\"network_code\":\"05\",\"reason\":\"do_not_honor\"}}}");
  else
    put("\",\"amount\":{\"minor\":"), put_text(member(amount, "minor")), put(",\"currency\":\""), put_text(member(amount, "currency")), put("\"}}}");
  return answer();
}

EXPORT(payswitch_step) u64 payswitch_step(u32 address, u32 len) {
  const unsigned char *m = (const unsigned char *)address;
  u32 n = len < 4 ? 0 : m[0] | m[1] << 8 | m[2] << 16 | (u32)m[3] << 24;
  if (len < 4 || n > len - 4) return reject("invalid_parameter", "the message is shorter than it says");
  text step = {m + 4, m + 4 + n};
  step.p = space(step.p, step.end);
  text request = member(step, "request"), op = member(step, "operation");
  if (!is(member(step, "abi"), "1")) return reject("unsupported", "this adapter speaks ABI 1");
  if (is(op, "authorize")) {
    // The features offer none of these: reject them instead of leaving them out.
    if (is(member(request, "request_3ds"), "true") || member(request, "three_ds").p) return reject("unsupported", "there is no 3-D Secure here");
    if (member(member(request, "instrument"), "network_transaction_id").p) return reject("unsupported", "there are no networks here");
    if (number(member(member(request, "amount"), "minor")) % 100 == 5) return outcome(request, "declined", "transaction_id", "echo_", 1);
    return outcome(request, is(member(request, "capture"), "automatic") ? "captured" : "authorized", "transaction_id", "echo_", 0);
  }
  if (is(op, "capture")) return outcome(request, "captured", "capture_id", "echo_c_", 0);
  if (is(op, "void")) return outcome(request, "voided", "transaction_id", "echo_", 0);
  if (is(op, "refund")) return outcome(request, "refunded", "refund_id", "echo_r_", 0);
  if (is(op, "sync")) return outcome(request, "authorized", "transaction_id", "echo_", 0);
  return reject("unsupported", "operation not offered");
}

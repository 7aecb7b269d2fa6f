package main

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// audit finds the faults of a page for people who use it in other ways than its author (WCAG 2.2: 1.3.1, 1.4.3, 1.4.10, 2.4.2, 2.5.8, 3.1.1, 4.1.2).
const audit = `((doc) => {
  const bad = [], all = (s) => [...doc.querySelectorAll(s)], name = (e) => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "");
  const seen = (e) => e.checkVisibility() && e.getClientRects().length;
  if (!doc.documentElement.lang) bad.push("no language");
  if (!doc.title) bad.push("no title");
  if (all("h1").filter((h) => seen(h) && !h.hasAttribute("role")).length !== 1) bad.push("not one heading");
  if (!doc.querySelector("main")) bad.push("no main part");
  for (const e of all("input:not([type=hidden])")) if (!e.labels.length && !e.ariaLabel) bad.push(name(e) + " has no label");
  for (const e of all("button, a[href], summary")) {
    if (!e.textContent.trim()) bad.push(name(e) + " has no name");
    if (seen(e) && e.getBoundingClientRect().height < 20) bad.push(name(e) + " is small");
  }
  for (const e of all("iframe")) if (!e.title) bad.push(name(e) + " has no title");
  if (doc.documentElement.scrollWidth > doc.documentElement.clientWidth) bad.push("scrolls sideways");
  const parts = (c) => c.match(/[\d.]+/g).map(Number);
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c[3] !== 0) return c; } return [255, 255, 255]; };
  for (const e of all("body *")) {
    if (!seen(e) || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    const a = light(parts(getComputedStyle(e).color).slice(0, 3)), b = light(ground(e).slice(0, 3));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(name(e) + " has a contrast of " + ratio.toFixed(2));
  }
  return bad.join("; ");
})(DOCUMENT)`

// looked keeps a picture of the page and holds it against the audit: as it is, in the dark, and as narrow as a small telephone.
func (b *tab) looked(name string) {
	b.Helper()
	b.shot(name)
	b.audited(name, "document")
	b.colours("dark")
	b.audited(name+", dark", "document")
	b.colours("light")
	b.size(320, 640)
	b.shot(name + "-narrow")
	b.audited(name+", narrow", "document")
	b.size(1000, 800)
}

// colours sets which colours the payer prefers, light or dark.
func (b *tab) colours(scheme string) {
	b.Helper()
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return chromedp.Void{}, err
	})
}

// audited holds a document to the audit.
func (b *tab) audited(name, document string) {
	b.Helper()
	require.Empty(b, script[string](b, strings.Replace(audit, "DOCUMENT", document, 1)), name)
}

// TestThreeDSPagesInABrowser looks at every page that payers see, wide and narrow.
func TestThreeDSPagesInABrowser(t *testing.T) {
	costly(t)
	s := newThreeDSShop(t, 1)
	s.do(chromedp.Navigate(`data:text/html,<input id=i><button></button><p style="color:silver">x</p>`))
	for _, fault := range []string{"no language", "no title", "not one heading", "input#i has no label", "button has no name", "p has a contrast of 1."} {
		require.Contains(t, script[string](s.tab, strings.Replace(audit, "DOCUMENT", "document", 1)), fault)
	}
	s.open("0070", nil)
	s.await(bank + ".querySelector('#otp')")
	s.audited("the bank's page in its frame", bank)
	s.looked("page-challenge")
	script[bool](s.tab, "document.querySelector('#full').click(), true")
	s.await("!document.querySelector('#frame') && document.querySelector('#otp')")
	s.looked("page-bank")
	s.answer("9")
	s.await("document.querySelector('#problem')")
	s.looked("page-bank-problem")
	script[bool](s.tab, "document.querySelector('summary').click(), true")
	s.looked("page-bank-codes")

	s.open("0103", nil)
	s.await("document.querySelector('.note')")
	s.looked("page-note")

	s.open("0200", nil) // the 3DS method takes its time
	s.await("document.querySelector('.spin')")
	s.looked("page-run")

	for digits, name := range map[string]string{"0100": "page-succeeded", "0110": "page-failed"} {
		s.open(digits, object{"return_url": nil})
		s.await("document.querySelector('.mark')")
		s.looked(name)
	}
	s.do(chromedp.Navigate(s.sw.url + "/3ds/run/nobodys"))
	s.await("document.querySelector('.mark')")
	s.looked("page-expired")
	s.do(chromedp.Navigate(s.sw.url + "/sim/3ds/cards"))
	s.looked("page-cards")
	s.do(chromedp.Navigate(s.sw.url))
	require.Equal(t, "payswitch is running", script[string](s.tab, "document.querySelector('h1').textContent"))
	s.looked("page-index")
	script[bool](s.tab, "document.querySelectorAll('a')[3].click(), true")
	s.await("document.title.startsWith('Test cards')")
}

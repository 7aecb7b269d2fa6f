package dashboard

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"payswitch/engine/staff"
	"payswitch/sdk"
)

// keys presses keys, one after the other.
func (b *browser) keys(text string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(text))
}

// tabTo presses the tabulator key until an element has the focus.
func (b *browser) tabTo(selector string) {
	b.t.Helper()
	for range 120 {
		b.do(chromedp.KeyEvent("\t"))
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`!!document.activeElement && document.activeElement.matches('`+selector+`')`))
		require.NoError(b.t, err)
		if is {
			return
		}
	}
	b.t.Fatalf("the keyboard does not reach %s", selector)
}

// focused says which control has the focus, and how people see that it has it. A control has a ring of two pixels and more, and nothing lies over it.
const focused = `(() => {
  const e = document.activeElement, box = e.getBoundingClientRect()
  const ring = (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
  const x = Math.max(box.left, 0) + Math.min(box.width, 16) / 2, y = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2, over = document.elementFromPoint(x, y)
  const label = e.labels?.length ? e.labels[0].innerText : e.getAttribute("aria-label") ?? e.innerText ?? ""
  return JSON.stringify({name: label.trim().split("\n")[0].replace(/^[\d:.]+ /, "").replace(/^pay_\w+$/, "the payment"), ring: ring(getComputedStyle(e)) || ring(getComputedStyle(e, "::after")),
    free: !!over && (e.contains(over) || over.contains(e))})
})()`

// control is the control that has the focus.
type control struct {
	Name       string
	Ring, Free bool
}

// next presses the tabulator key, and returns the control that it leads to. The control shows that it has the focus.
func (b *browser) next() string {
	b.t.Helper()
	b.keys("\t")
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](focused))
	require.NoError(b.t, err)
	var at control
	require.NoError(b.t, json.Unmarshal([]byte(text), &at))
	require.True(b.t, at.Ring, "%s shows that it has the focus", at.Name)
	require.True(b.t, at.Free, "nothing lies over %s", at.Name)
	return at.Name
}

// through presses the tabulator key, and meets these controls in this order.
func (b *browser) through(names ...string) {
	b.t.Helper()
	for i, want := range names {
		require.Equal(b.t, want, b.next(), "control %d", i)
	}
}

// back presses the tabulator key with shift.
func (b *browser) back(name string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent("\t", chromedp.KeyModifiers(chromedp.ModifierShift)))
	require.Equal(b.t, name, b.text(":focus"))
}

// skip leads to the content of a page that was just opened.
func (b *browser) skip() {
	b.t.Helper()
	b.through("Skip to the content")
	b.keys("\r")
	b.until(`document.activeElement.id === "main"`)
}

// opened is whether the fold with the focus in it is open.
const opened = `document.activeElement.closest("details").open`

// unfolds opens the fold whose name has the focus, sees Escape close it from its first control, and opens it again.
func (b *browser) unfolds(first string) {
	b.t.Helper()
	name := b.text(":focus")
	b.keys("\r")
	b.until(opened)
	b.through(first)
	b.keys("\x1b")
	b.until("!" + opened)
	require.Equal(b.t, name, b.text(":focus"), "the focus returns")
	b.keys("\r")
	b.until(opened)
	b.through(first)
}

// choose opens the list of files of the field that has the focus by a key, and takes a file.
func (b *browser) choose(key, name, content string) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name)
	require.NoError(b.t, os.WriteFile(path, []byte(content), 0o600))
	asked := make(chan cdp.BackendNodeID, 1)
	ctx, end := context.WithCancel(b.ctx)
	defer end()
	require.NoError(b.t, chromedp.Listen(ctx, func(ev any) {
		if e, ok := ev.(*cdppage.EventFileChooserOpened); ok {
			asked <- e.BackendNodeID
		}
	}))
	b.do(func(ctx context.Context, tab *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, tab, cdppage.SetInterceptFileChooserDialog, cdppage.SetInterceptFileChooserDialogParams{Enabled: true})
		return none, err
	}, chromedp.KeyEvent(key), func(ctx context.Context, tab *chromedp.Target) (none chromedp.Void, err error) {
		select {
		case id := <-asked:
			_, err = cdp.Call(ctx, tab, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{path}, BackendNodeID: id})
		case <-ctx.Done():
			err = ctx.Err()
		}
		return none, err
	})
	b.until(`document.activeElement.files.length === 1`)
}

// opensFirst opens the first row of a list.
func (b *browser) opensFirst(list string) {
	b.t.Helper()
	b.open(list)
	b.until(`document.querySelector("[data-keys]:not([hidden])")`) // the script runs
	b.keys("j")
	b.until(`document.activeElement.matches("a.row")`)
	b.keys("\r")
	b.until(`location.href !== "` + list + `"`)
	b.skip()
}

// TestByKeys does by the keyboard alone what a person does with rules of routing, with a second person's approval, with disputes and with adapters. Each
// control is reached in the order of the page, and shows that it has the focus.
func TestByKeys(t *testing.T) {
	costlyInBrowser(t)
	t.Parallel()
	b := newBrowser(t)
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator", "connector_label", "first")
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Admin}, staff.Grant{Role: staff.Operator})
	w.server.Bundles = &shelf{}
	bob := w.second()
	bob.person = &staff.Session{ID: "s2", UserID: "user_bob", Name: "Bob", Grants: w.person.Grants, SecondFactorAt: w.person.SecondFactorAt}
	bob.server.Bundles = &shelf{file: []byte("bundle"), by: "Ada", older: true}
	var previews atomic.Int64
	base, other := w.served(&previews), bob.served(&previews)

	editors(b, w, base)
	require.Eventually(t, func() bool { return previews.Load() == 1 }, time.Minute, 20*time.Millisecond, "the look is shown before it is saved")
	secondPerson(b, w, base, other)
	disputes(b, w, base)
	bundles(b, base, other)
}

// editors writes, moves and saves rules of routing, and looks at a link before its look is saved.
func editors(b *browser, w *world, base string) {
	profile := w.profile()
	b.open(base + "/m/acme/routing/" + profile.ID + "/edit")
	for _, name := range []string{"large", "larger"} {
		b.tabTo("#add-f-name")
		b.keys(name)
		b.tabTo("#add-f-value")
		b.keys("50000\r")
		b.shows(": if")
		b.shows(name + ": if")
	}
	b.tabTo(`form:has([value="up"]) button`)
	b.keys("\r")
	b.shows("1. larger: if")
	b.tabTo("#save-f-name")
	b.keys("by keys\r")
	b.until(`location.pathname === "/m/acme/routing"`)

	b.open(base + "/m/acme/profiles/" + profile.ID)
	b.tabTo(`form[action$="/links"] button[formtarget="preview"]`)
	b.keys("\r")
}

// secondPerson proposes what became of an operation in doubt. Bob refuses the proposal, and confirms the next one.
func secondPerson(b *browser, w *world, base, other string) {
	require.Equal(b.t, http.StatusOK, w.post("/m/acme/profiles/"+w.profile().ID+"/decisions", "second_person", "on", "limits", "1000.00 USD").Code)
	id := w.doubt()
	facts := []string{"‹ Decisions", "Copy", "the payment", "Copy", "authorize 9,000,000.31 USD at simulator ? unknown"}
	b.opensFirst(base + "/decisions")
	b.through(facts...)
	b.through("The processor carried it out", "The processor refused it", "The processor never acted")
	b.unfolds("Reason")
	b.keys(" ")
	b.through("Propose: the processor never acted")
	b.keys("\r")
	b.until(`document.activeElement.matches("#not_done-f-why[aria-invalid]")`) // the form comes back at the field that was refused
	b.keys("the processor's page")
	b.through("Propose: the processor never acted")
	b.keys(" ")
	b.shows("You have proposed this yourself")
	b.skip()
	b.through(facts...)
	b.through("Withdraw the proposal", "Keyboard")

	b.open(other + "/decisions/" + id)
	b.skip()
	b.through(facts...)
	b.through("Confirm: the processor never acted", "Refuse the proposal", "Keyboard")
	b.back("Refuse the proposal")
	b.keys("\r")
	b.until(`document.querySelector("#not_done-f-why")`)
	w.done("/decisions/"+id, "outcome", "not_done", "why", "seen again")
	b.open(other + "/decisions/" + id)
	b.skip()
	b.through(facts...)
	b.through("Confirm: the processor never acted")
	b.keys(" ")
	b.shows("confirmed by Bob")
}

// disputes attaches a file to a dispute and answers it, and accepts another one.
func disputes(b *browser, w *world, base string) {
	one := w.disputed(700, "opened", `,"respond_by":4000000000`)
	facts := []string{"‹ Disputes", "the payment", "Copy", "Copy", "Ask the processor now"}
	b.opensFirst(base + "/m/acme/disputes")
	b.through(facts...)
	b.through("What the file shows")
	b.keys(kb.ArrowDown)
	b.through("File")
	b.choose(" ", "policy.pdf", "%PDF-1.7")
	b.through("Attach the file")
	b.keys("\r")
	b.until(`location.search === "?did=files"`)
	require.Equal(b.t, sdk.EvidenceTypes()[1], w.disputeAt(one).Details.Files[0].Type)

	b.skip()
	b.through(facts...)
	b.through("Remove", "What the file shows", "File", "Attach the file", "Answer with evidence")
	b.unfolds(evidenceTexts[0][1])
	var texts []string
	for _, x := range evidenceTexts[1:] {
		texts = append(texts, x[1])
	}
	const number = "4242424242424242"
	b.keys(number)
	b.through(append(texts, "Send the answer")...)
	b.keys("\r")
	b.until(`document.activeElement.matches("#evidence-f-uncategorized_text[aria-invalid]")`)
	b.keys(strings.Repeat(kb.Delete, len(number)) + "The customer has the goods.")
	b.through(append(texts, "Send the answer")...)
	b.keys(" ")
	b.until(`location.search === "?did=evidence"`)
	require.Equal(b.t, sdk.DisputeChallenged, w.disputeAt(one).Status)

	two := w.disputed(600, "opened", "")
	b.open(base + two)
	b.skip()
	b.through(facts...)
	b.through("What the file shows", "File", "Attach the file", "Answer with evidence", "Accept the dispute")
	b.unfolds("Accept: the customer keeps 6.00 USD")
	b.keys(" ")
	b.until(`location.search === "?did=accept"`)
	require.Equal(b.t, sdk.DisputeAccepted, w.disputeAt(two).Status)
}

// bundles installs an adapter that is given, and goes back to an older one.
func bundles(b *browser, base, other string) {
	b.open(base + "/adapters")
	b.skip()
	b.through("adyen Adyen", "netcetera Netcetera", "simulator Simulator", "threedsecureio 3dsecure.io", "Bundle")
	b.choose("\r", "acme.bundle", "bundle")
	b.through("Examine the bundle")
	b.keys("\r")
	b.reaches("acme 0.1.0")
	b.skip()
	page := []string{"‹ Adapters", "Copy", "Copy", "What it asks for in addition"}
	b.through(page...)
	b.unfolds("host api.acme.example")
	b.through("Install acme 0.1.0")
	b.keys(" ")
	b.shows("Every node takes it up within seconds")
	b.until(`[...document.querySelectorAll(".chip")].some((e) => e.innerText.includes("in use"))`)

	b.open(other + "/adapters/simulator")
	b.skip()
	b.through("‹ Adapters", "Copy", "acme 0.1.0")
	b.keys("\r")
	b.reaches("acme 0.1.0")
	b.skip()
	b.through(page...)
	b.through("Go back to acme 0.1.0")
	b.keys("\r")
	b.shows("Every node takes it up within seconds")
}

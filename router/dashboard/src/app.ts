// The script adds comfort: pages and forms work without it.
import './vendor/htmx.esm.min.js'
import './people/passkey'

const $ = <E extends Element>(selector: string, within: ParentNode = document): E | null => within.querySelector<E>(selector)
const $$ = <E extends Element>(selector: string, within: ParentNode = document): E[] => [...within.querySelectorAll<E>(selector)]
const sheet = $<HTMLDialogElement>('#sheet')!
let opener: HTMLElement | null = null
let pressed = false // a key went down since the sheet was raised

// say announces a text to people who hear the page.
const say = (text: string): void => { $('#said')!.textContent = text }

// dress makes the buttons work that mean nothing without a script.
function dress(within: ParentNode): void {
  for (const e of $$<HTMLElement>('[data-copy],[data-keys]', within)) e.hidden = false
}

document.addEventListener('click', (e) => {
  const at = e.target as Element
  const row = at.closest<HTMLAnchorElement>('a.row'), back = at.closest<HTMLAnchorElement>('[data-back]')
  if (row) sessionStorage.setItem('row', row.href)
  if (back && !back.search) back.href = sessionStorage.getItem('list ' + back.pathname) ?? back.href
  const copy = at.closest<HTMLElement>('[data-copy]')
  if (copy) navigator.clipboard.writeText(copy.dataset.copy!).then(() => { copy.textContent = 'Copied'; say('Copied') }, () => say('The browser refused to copy'))
  if (at.closest('[data-close]') && sheet.open) { e.preventDefault(); sheet.close() }
  if (at.closest('[data-keys]')) keys()
  const who = $<HTMLDetailsElement>('.who[open]')
  if (who && !who.contains(at)) who.open = false
})

// A form is sent once: a second click finds the button off. The form's idempotency key guards what the button cannot.
document.addEventListener('submit', (e) => {
  const form = e.target as HTMLFormElement
  if (form.method !== 'post' || e.defaultPrevented || e.submitter?.hasAttribute('formtarget')) return // a preview may be asked for again
  setTimeout(() => $$<HTMLButtonElement>('button', form).forEach((b) => { b.disabled = true }))
})
// The browser may keep a page and show it again on the way back: its buttons are off then.
addEventListener('pageshow', (e) => { if (e.persisted) location.reload() })

document.addEventListener('htmx:before:request', (e) => { if (document.hidden && (e.target as Element).matches('[hx-trigger*=every]')) e.preventDefault() })
document.addEventListener('htmx:after:swap', () => {
  dress(document)
  if (sheet.childElementCount && !sheet.open) {
    raise($('h1', sheet)!.textContent!)
    const first = $<HTMLElement>('[autofocus],input:not([type=hidden]),button', sheet)
    first?.focus()
    if (first instanceof HTMLInputElement) first.select() // what is typed takes the place of the amount that is offered
  }
})
// A form that did not come says so. Polls ask again by themselves.
document.addEventListener('htmx:error', (e) => {
  if (!(e.target instanceof Element) || !e.target.matches('[hx-target="#sheet"]') || sheet.open) return
  const title = document.createElement('h1'), text = document.createElement('p'), close = document.createElement('button')
  title.textContent = 'No answer'
  text.textContent = 'payswitch did not answer, and nothing was done. Look at your connection, and try again.'
  close.textContent = 'Close'; close.dataset.close = ''
  sheet.replaceChildren(title, text, close)
  raise(title.textContent)
})
// raise shows the sheet, with its name for people who hear the page.
function raise(name: string): void {
  opener = document.activeElement as HTMLElement
  pressed = false
  sheet.setAttribute('aria-label', name)
  sheet.showModal()
}
// The Enter that raised the sheet, held down for long, must not send its form: the amount that is offered is the whole one.
sheet.addEventListener('keydown', (e) => { pressed ||= !e.repeat })
sheet.addEventListener('keypress', (e) => { if (e.key === 'Enter' && !pressed) e.preventDefault() })
sheet.addEventListener('close', () => {
  if (sheet.open) return // raised again meanwhile
  sheet.onkeydown = null
  sheet.replaceChildren()
  opener?.focus()
})

const rows = (): HTMLElement[] => $$<HTMLElement>('a.row')
function move(step: number): void {
  const all = rows()
  all[Math.max(0, Math.min(all.length - 1, all.indexOf(document.activeElement as HTMLElement) + step))]?.focus()
}

// keys shows the list of keys.
function keys(): void {
  const list: [string, string][] = [['/', 'Search'], ['j, k', 'Next row, row before'], ['Enter', 'Open the row'], ['Esc', 'Back to the list'], ['Ctrl K', 'Go to a page or a payment'], ['?', 'This list']]
  for (const a of $$<HTMLElement>('[data-key]')) list.push(['g ' + a.dataset.key, a.textContent!])
  const title = document.createElement('h2'), terms = document.createElement('dl'), off = document.createElement('button'), close = document.createElement('button')
  title.textContent = 'Keyboard'
  for (const [key, what] of list) {
    const dt = document.createElement('dt'), dd = document.createElement('dd')
    dt.textContent = key; dd.textContent = what; terms.append(dt, dd)
  }
  off.textContent = quiet() ? 'Switch single keys on' : 'Switch single keys off'
  off.onclick = () => { localStorage.setItem('keys', quiet() ? '' : 'off'); sheet.close() }
  close.textContent = 'Close'; close.dataset.close = ''
  const acts = document.createElement('p')
  acts.className = 'acts'; acts.append(off, close)
  sheet.replaceChildren(title, terms, acts)
  if (!sheet.open) raise('Keyboard')
}
const quiet = (): boolean => localStorage.getItem('keys') === 'off'

// palette finds an action of this page or a page of the menu by its name, and payments by what is typed. It offers nothing that the page does not. An
// action opens its form: nothing is done before the form is sent.
function palette(): void {
  if (sheet.open) return
  const input = document.createElement('input'), list = document.createElement('ul'), find = $<HTMLInputElement>('#find')
  input.type = 'search'; input.setAttribute('aria-label', 'Go to'); input.placeholder = 'Page, or payment'; input.autocomplete = 'off'
  list.className = 'choose'
  const fill = (): void => {
    const text = input.value.trim().toLowerCase()
    list.replaceChildren()
    const offer = (name: string, to: string): HTMLElement => {
      const li = document.createElement('li'), a = document.createElement('a')
      a.textContent = name; a.href = to; li.append(a); list.append(li)
      return a
    }
    for (const a of $$<HTMLAnchorElement>('main .head .acts a[href],nav[aria-label=Menu] a')) if (a.textContent!.toLowerCase().includes(text)) offer(a.textContent!, a.href)
    // The search is a form, so that what is typed stays out of the browser's history: it may be a card number.
    if (text && find) offer('Payments: ' + input.value.trim(), find.form!.action).onclick = (e) => { e.preventDefault(); find.value = input.value.trim(); find.form!.submit() }
  }
  input.oninput = fill
  const step = (by: number): void => {
    const all = [input, ...$$<HTMLElement>('a', list)]
    all[Math.max(0, Math.min(all.length - 1, all.indexOf(document.activeElement as HTMLInputElement) + by))]?.focus()
  }
  sheet.onkeydown = (e) => {
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') { e.preventDefault(); step(e.key === 'ArrowDown' ? 1 : -1) }
    if (e.key === 'Enter' && document.activeElement === input) { e.preventDefault(); $<HTMLAnchorElement>('a', list)?.click() }
  }
  fill()
  sheet.replaceChildren(input, list)
  raise('Go to')
  input.focus()
}

let went = 0 // when g was pressed
document.addEventListener('keydown', (e) => {
  const at = e.target as HTMLElement
  if (e.key === 'k' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); palette(); return }
  // Escape closes the menu or the form that has the focus, and only then leaves the page. What was typed stays in the form.
  const fold = e.key === 'Escape' && !sheet.open && !e.isComposing && !at.matches('select') && at.closest<HTMLDetailsElement>('.who[open],.fold[open]')
  if (fold) { fold.open = false; $<HTMLElement>('summary', fold)!.focus(); return }
  if (e.ctrlKey || e.metaKey || e.altKey || at.matches('input,select,textarea') || sheet.open || quiet()) return
  if (e.timeStamp - went < 1500) {
    went = 0
    const to = $<HTMLAnchorElement>(`[data-key="${CSS.escape(e.key)}"]`)
    if (to) { location.href = to.href; return }
  }
  switch (e.key) {
    case '/': e.preventDefault(); $<HTMLElement>('#find')?.focus(); break
    case 'g': went = e.timeStamp; break
    case 'j': move(1); break
    case 'k': move(-1); break
    case 'Escape': $<HTMLElement>('[data-back]')?.click(); break
    case '?': keys()
  }
})
dress(document)

// Who types works: a long answer to a dispute must not end in the page to sign in.
let beat = 0
document.addEventListener('input', (e) => {
  if (e.timeStamp - beat < 240_000 && beat) return
  beat = e.timeStamp
  if ($('.who')) fetch('/me', { method: 'HEAD' }).catch(() => {})
})

// On a phone the menu is one line: it shows the page's own entry.
const here = $<HTMLElement>('nav [aria-current]'), menu = here?.closest('nav')
if (here && menu) menu.scrollLeft += here.getBoundingClientRect().left - (menu.clientWidth - here.offsetWidth) / 2

// A list is found again as it was left: with its filters, and at the row that was opened.
if (rows().length && !$('[data-back]')) {
  const opened = sessionStorage.getItem('row')
  sessionStorage.setItem('list ' + location.pathname, location.href)
  sessionStorage.removeItem('row')
  if (document.activeElement === document.body) rows().find((a) => (a as HTMLAnchorElement).href === opened)?.focus()
}

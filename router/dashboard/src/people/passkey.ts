// Passkeys: a form with data-passkey asks the server for a challenge, the browser for the passkey, and then is sent with the answer.
type Asked = { options: { publicKey: object }, ticket: string }
type Parser = { parseCreationOptionsFromJSON?(o: object): PublicKeyCredentialCreationOptions, parseRequestOptionsFromJSON?(o: object): PublicKeyCredentialRequestOptions }

const able = window.PublicKeyCredential as unknown as (Parser | undefined)

async function use(form: HTMLFormElement): Promise<void> {
  const answer = await fetch(form.dataset.passkey!, { method: 'POST' })
  if (!answer.ok) throw new Error(answer.status === 429 ? 'Too many tries from your address: wait a minute.' : 'payswitch did not begin: load the page again.')
  const asked = await answer.json() as Asked
  const enrols = form.action.endsWith('/enrol/passkey')
  const credential = enrols
    ? await navigator.credentials.create({ publicKey: able!.parseCreationOptionsFromJSON!(asked.options.publicKey) })
    : await navigator.credentials.get({ publicKey: able!.parseRequestOptionsFromJSON!(asked.options.publicKey) })
  const field = (name: string): HTMLInputElement => form.elements.namedItem(name) as HTMLInputElement
  field('ticket').value = asked.ticket
  field('answer').value = JSON.stringify(credential)
  form.submit()
}

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
  if (!able?.parseCreationOptionsFromJSON) continue
  form.hidden = false
  form.addEventListener('submit', (e) => {
    e.preventDefault()
    const problem = form.querySelector<HTMLElement>('.problem')!
    problem.hidden = true
    use(form).catch((error: Error) => {
      problem.textContent = error.name === 'NotAllowedError' ? 'The browser gave no passkey: it was cancelled, or there is none for this address.' : error.message
      problem.hidden = false
    })
  })
}

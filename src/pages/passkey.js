/* Makes and uses passkeys (Web Authentication). Without this file, and in a browser that cannot, their forms stay hidden. */
{
  const part = document.querySelector("[data-passkey]")
  const form = part?.closest("form")
  const makes = part?.dataset.passkey === "make"
  const browser = globalThis.PublicKeyCredential
  const isAble =
    browser?.parseCreationOptionsFromJSON !== undefined && browser.parseRequestOptionsFromJSON !== undefined

  /* The request that waits in a field of the page. A browser has one request at a time. */
  let waiting

  const ask = async (more) => {
    const options = JSON.parse(part.dataset.options)
    const credential = makes
      ? await navigator.credentials.create({ publicKey: browser.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: browser.parseRequestOptionsFromJSON(options), ...more })
    form.elements.credential.value = JSON.stringify(credential)
    form.requestSubmit()
  }

  const offerInField = async () => {
    if (!(await browser.isConditionalMediationAvailable?.())) return
    waiting = new AbortController()
    await ask({ mediation: "conditional", signal: waiting.signal })
  }

  const begin = () => {
    form.elements.credential.value = ""
    part.hidden = false
    document.querySelectorAll("[data-without-passkey]").forEach((other) => (other.hidden = true))
    if ("fills" in part.dataset) offerInField().catch(() => undefined)
  }

  if (part && isAble) {
    const problem = part.querySelector("[role=alert]")
    form.addEventListener("submit", (event) => {
      if (form.elements.credential.value !== "") return
      event.preventDefault()
      /* The form is not sent yet, so it is not busy. */
      event.stopPropagation()
      problem.hidden = true
      waiting?.abort()
      ask({}).catch(({ name }) => {
        problem.textContent = name === "InvalidStateError" ? part.dataset.known : part.dataset.failed
        problem.hidden = false
      })
    })
    /* A page from the browser's cache comes back with its answer. */
    addEventListener("pageshow", ({ persisted }) => persisted && begin())
    begin()
  }
}

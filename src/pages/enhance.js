/* Every page works without this file. With it, people wait less. The listeners are on the document, so replaced parts work. */
const on = (type, selector, act) =>
  document.addEventListener(type, (event) => {
    const target = event.target.closest?.(selector)
    if (target) act(target, event)
  })
const all = (selector, act) => document.querySelectorAll(selector).forEach(act)
const policy = globalThis.trustedTypes?.createPolicy("page", { createHTML: (text) => text })

const localize = () =>
  all("time[data-local]", (time) => {
    const { lang } = document.documentElement
    const region = lang === "en" ? "en-GB" : lang
    time.textContent = new Date(time.dateTime).toLocaleString(region, { dateStyle: "medium", timeStyle: "short" })
    time.removeAttribute("data-local")
  })

/*
 * Requests a page and takes its marked parts. Text that is typed elsewhere stays. An answer that comes after a later
 * request for the same parts is old.
 */
const asked = {}
const take = async (url, mark) => {
  const turn = (asked[mark] = (asked[mark] ?? 0) + 1)
  const answer = await fetch(url)
  const text = await answer.text()
  if (turn !== asked[mark]) return
  if (answer.redirected || !answer.ok) throw answer
  const page = new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, "text/html")
  all(mark, (part) => {
    const next = page.getElementById(part.id)
    if (next) part.replaceWith(document.adoptNode(next))
  })
  localize()
}

const say = (text) => {
  const line = document.getElementById("said")
  line.textContent = text
  setTimeout(() => (line.textContent = ""), 2000)
}
on("click", "[data-copy]", async ({ dataset: { copied, copy } }) => {
  await navigator.clipboard.writeText(document.getElementById(copy)?.textContent ?? copy)
  say(copied)
})
on("click", "[data-all]", (box) => all(`[name="${box.dataset.all}"]`, (one) => (one.checked = box.checked)))
on("change", "[data-submit]", ({ form }) => {
  const url = `${form.action}?${new URLSearchParams([...new FormData(form)].filter(([, value]) => value))}`
  history.replaceState(null, "", url)
  take(url, "[data-part]").catch(() => location.reload())
})
on("click", "[data-part] .segments a", (link, event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const part = link.closest("[data-part]").id
  history.replaceState(null, "", link.href)
  take(link.href, "[data-part]")
    .then(() => document.querySelector(`#${part} [aria-current]`)?.focus())
    .catch(() => location.reload())
})
/* After a button with data-file the page stays, so its form is never busy. */
on("submit", "form[method=post]", (form, event) => {
  if (form.ariaBusy === "true") event.preventDefault()
  else if (event.submitter?.dataset.file === undefined) form.ariaBusy = "true"
})
/* A page from the browser's cache comes back with its forms busy. */
addEventListener("pageshow", () => all("form[aria-busy]", (form) => (form.ariaBusy = null)))

/* A part with data-live is requested again every so many seconds, until it comes without the mark. */
const wait = () => {
  const part = document.querySelector("[data-live]")
  if (part) setTimeout(again, part.dataset.live * 1000)
}
/* A page with fields may hold typed text, so it stays as it is. Any other page shows where it leads now. */
const leave = (cause) =>
  cause instanceof Response && !document.querySelector("input:not([type=hidden]), textarea") && location.reload()
const again = async () => {
  if (!document.hidden) await take(location.href, "[data-live]").catch(leave)
  wait()
}
wait()
localize()

/* The notice of an outcome belongs to one visit, not to the address. */
const here = new URL(location.href)
if (here.searchParams.has("outcome")) {
  for (const name of ["outcome", "count", "exit"]) here.searchParams.delete(name)
  history.replaceState(null, "", here)
}

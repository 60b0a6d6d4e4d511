import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { createServer } from "node:http"
import * as path from "node:path"
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import * as Axe from "./Axe.ts"

/** Restricts Chromium to this machine: it resolves no other name and reports to no server. */
const argsFor = (names: string) => [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--host-resolver-rules=${names}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`
]

/**
 * The installed Chromium with its own profile; each context is a separate browser. `names` are rules for the names of
 * this machine.
 */
export const makeWith = Effect.fnUntraced(function* (names: string) {
  const executablePath = execFileSync("which", ["chromium"], { encoding: "utf8" }).trim()
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() => chromium.launch({ executablePath, headless: true, args: argsFor(names) })),
    (browser) => Effect.promise(() => browser.close())
  )
  const contextWith = (options: BrowserContextOptions) =>
    Effect.acquireRelease(
      Effect.promise(() => browser.newContext(options)),
      (context: BrowserContext) => Effect.promise(() => context.close())
    )
  return { contextWith }
})

export const make = makeWith("EXCLUDE localhost")

/** An app on this computer that records its callback. */
export const app = Effect.gen(function* () {
  const calls: Array<URLSearchParams> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        const url = new URL(request.url ?? "/", "http://127.0.0.1")
        if (url.pathname === "/favicon.ico") return void response.writeHead(204).end()
        if (url.pathname !== "/done") calls.push(url.searchParams)
        // Many apps redirect to a page of another origin next.
        const { port } = server.address() as { port: number }
        const onward = url.pathname === "/onward" ? { location: `http://localhost:${port}/done` } : undefined
        response.writeHead(onward === undefined ? 200 : 302, { "content-type": "text/html", ...onward })
        response.end("<title>Connected</title><h1>You can close this window</h1>")
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, calls }
})

const shots = process.env["SCREENSHOTS"]
if (shots !== undefined) mkdirSync(shots, { recursive: true })

/** Finds text whose contrast is below WCAG AA, and a page wider than the window; runs in the page. */
const faultsOfLook = `(() => {
  const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { r, g, b, a } }
  const light = ({ r, g, b }) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0)
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor)
      if (colour.a > 0) return colour
    }
    return { r: 255, g: 255, b: 255 }
  }
  const faults = [...document.querySelectorAll("body *")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== ""))
    .filter((element) => !element.closest("style"))
    .flatMap((element) => {
      const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x)
      const ratio = (a + 0.05) / (b + 0.05)
      return ratio < 4.5 ? [element.tagName + " " + element.textContent.trim().slice(0, 30) + " " + ratio.toFixed(2)] : []
    })
  const wide = document.documentElement.scrollWidth > innerWidth ? ["wider than the window"] : []
  const nameless = [...document.querySelectorAll("input:not([type=hidden])")]
    .filter((input) => input.labels.length === 0).map((input) => "no label: " + input.name)
  return [...faults, ...wide, ...nameless]
})()`

const widths = [360, 768, 1280]

const picture = async (page: Page, name: string) => {
  if (shots !== undefined) await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true })
}

/** Says at which widths a page is wider than the window, and takes pictures like `look`. */
export const widthFaults = async (page: Page, name: string): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    await picture(page, `${name}-${width}`)
    const wide = await page.evaluate<number>(`document.documentElement.scrollWidth`)
    if (wide > width) faults.push(`${name} ${width}: ${wide} pixels wide`)
  }
  return faults
}

/**
 * Looks at a page in both colour schemes on a phone, a tablet and a desktop; answers its faults. Takes pictures when
 * `SCREENSHOTS` names a folder for them.
 */
export const look = async (page: Page, name: string): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  await Axe.load(page)
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of widths) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      await picture(page, `${name}-${colorScheme}-${width}`)
      const found = (await page.evaluate(faultsOfLook)) as ReadonlyArray<string>
      const serious = await Axe.faultsOf(page, colorScheme === "dark")
      faults.push(...[...found, ...serious].map((fault) => `${name} ${colorScheme} ${width}: ${fault}`))
    }
  await page.setViewportSize({ width: 320, height: 640 })
  const found = (await page.evaluate(faultsOfLook)) as ReadonlyArray<string>
  return [...faults, ...found.map((fault) => `${name} 320: ${fault}`)]
}

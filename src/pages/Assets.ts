import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { brotliCompressSync, constants } from "node:zlib"
import { Brand } from "../brand/Brand.ts"
import { card, type Shades, tinted } from "../brand/Colours.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { pathOf, type PagePath } from "./PagePaths.ts"

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8")

const sheets = ["base", "parts", "pages"].map((name) => read(`${name}.css`)).join("\n")
const script = read("enhance.js")
const passkeyScript = read("passkey.js")

/** The colours of a brand, as properties of the style. */
const coloursOf = (accent: Shades) => `:root {
  --accent: light-dark(${accent.light}, ${accent.dark});
  --card: light-dark(${card.light}, ${card.dark});
  --tint: light-dark(${tinted(card.light, accent.light)}, ${tinted(card.dark, accent.dark)});
}
`

/** The built-in mark of a brand, for the tab of the browser: a ring with a gap. */
const markOf = ({ light }: Shades) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="none" stroke="${light}" stroke-width="8" d="M24 6.5a11 11 0 1 0 0 19"/></svg>\n`

const file = (name: string, type: string, text: string) => ({
  name,
  type,
  text,
  tag: hash("sha256", text).slice(0, 16)
})

const filesOf = (accent: Shades) => ({
  style: file("style.css", "text/css; charset=utf-8", `${coloursOf(accent)}${sheets}`),
  script: file("enhance.js", "text/javascript; charset=utf-8", script),
  passkeyScript: file("passkey.js", "text/javascript; charset=utf-8", passkeyScript),
  mark: file("mark.svg", "image/svg+xml", markOf(accent))
})

/** The complete addresses of the files: another host may serve some pages. They change with the contents. */
export const addresses = Effect.gen(function* () {
  const { app_url } = yield* Addresses
  const { mark, passkeyScript, script, style } = filesOf((yield* Brand).accent)
  const addressOf = ({ name, tag }: typeof mark) => `${app_url}/assets/${tag}/${name}`
  return {
    origin: new URL(app_url).origin,
    mark: addressOf(mark),
    script: addressOf(script),
    passkeyScript: addressOf(passkeyScript),
    style: addressOf(style)
  }
})

const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

const answerWith = ({ text, type }: ReturnType<typeof file>, control: string) => {
  const plain = Buffer.from(text)
  const packed = brotliCompressSync(plain, quality)
  const headers = { "cache-control": control, "x-content-type-options": "nosniff", vary: "accept-encoding" }
  return Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
    /\bbr\b/.test(request.headers["accept-encoding"] ?? "")
      ? HttpServerResponse.uint8Array(packed, { contentType: type, headers: { ...headers, "content-encoding": "br" } })
      : HttpServerResponse.uint8Array(plain, { contentType: type, headers })
  )
}

/**
 * Serves the files. Under their own address browsers keep them for a year. Under another one, which a page of another
 * version of the service names during an update, they are the files of this version.
 */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const path = yield* pathOf("assets")
    for (const file of Object.values(filesOf((yield* Brand).accent))) {
      const own: PagePath = `${path}/${file.tag}/${file.name}`
      const other: PagePath = `${path}/:tag/${file.name}`
      yield* router.add("GET", own, answerWith(file, "public, max-age=31536000, immutable"))
      yield* router.add("GET", other, answerWith(file, "no-cache"))
    }
  })
)

import { Effect, Record } from "effect"
import { HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { Brand } from "../brand/Brand.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { makeDocument, type Page } from "./Layout.ts"
import { styleOf } from "./Style.ts"

/** Allows no scripts, frames or resources. Forms may lead to this host and to `formTargets`. */
const contentSecurityPolicy = (styles: ReadonlyArray<string>, formTargets: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    ...styles,
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; ")

const headersWith = (styles: ReadonlyArray<string>, formTargets: ReadonlyArray<string>) => ({
  "content-security-policy": contentSecurityPolicy(styles, formTargets),
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
})

interface Options {
  readonly headers?: Record<string, string>
  /** Additional targets of the page's forms, as sources of a Content-Security-Policy. */
  readonly formTargets?: ReadonlyArray<string>
}

/** Makes the function that answers with a page of the brand. Only the brand's style, by its hash, has an effect. */
export const makeAnswer = Effect.gen(function* () {
  const { app_url } = yield* Addresses
  const brand = yield* Brand
  const style = styleOf(brand.accent)
  const styles = [`style-src 'sha256-${hash("sha256", style.text, "base64")}'`]
  const texts = Record.map(brand.texts, (text) => text.replaceAll("{{brand}}", brand.name))
  const documentOf = makeDocument(brand, style, app_url)

  return (status: number, page: Page, { formTargets = [], headers = {} }: Options = {}) =>
    HttpServerResponse.text(documentOf(page).write(texts), {
      status,
      headers: { ...headersWith(styles, formTargets), ...headers },
      contentType: "text/html; charset=utf-8"
    })
})

/** Redirects with 303: the browser requests the next page with GET and without the form. */
export const redirect = (location: string) =>
  HttpServerResponse.redirect(location, { status: 303, headers: headersWith([], []) })

import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Brand } from "../brand/Brand.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as Assets from "./Assets.ts"
import * as Language from "../brand/Language.ts"
import { makeDocument, type Page } from "./Layout.ts"
import * as PageCookies from "./PageCookies.ts"

/** Allows the files of the pages, and nothing inline. Forms may lead to this host and to `formTargets`. */
const contentSecurityPolicy = (origin: string, formTargets: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    `script-src ${origin}`,
    `style-src ${origin}`,
    `img-src ${origin}`,
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types page"
  ].join("; ")

/** The headers of every answer to a person. */
const always = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

interface Options {
  readonly headers?: Record<string, string>
  /** Additional targets of the page's forms, as sources of a Content-Security-Policy. */
  readonly formTargets?: ReadonlyArray<string>
}

/** Makes the function that answers with a page of the brand, in the language of the request. */
export const makeAnswer = Effect.gen(function* () {
  const { app_url, docs_url } = yield* Addresses
  const brand = yield* Brand
  const languageOf = yield* PageCookies.makeLanguage
  const files = yield* Assets.addresses
  const documentOf = makeDocument({ brand, files, app_url, docs_url })
  const languages = Language.ofBrand(brand)

  return (status: number, page: Page, { formTargets = [], headers = {} }: Options = {}) =>
    Effect.zipWith(HttpServerRequest.HttpServerRequest, languageOf, (request, code) =>
      HttpServerResponse.text(documentOf(page, code, request.url).write(languages[code]), {
        status,
        headers: {
          ...always,
          "content-language": code,
          "content-security-policy": contentSecurityPolicy(files.origin, formTargets),
          ...headers
        },
        contentType: "text/html; charset=utf-8"
      })
    )
})

/** Redirects with 303: the browser requests the next page with GET and without the form. */
export const redirect = (location: string) =>
  HttpServerResponse.redirect(location, {
    status: 303,
    headers: { ...always, "content-security-policy": contentSecurityPolicy("'none'", []) }
  })

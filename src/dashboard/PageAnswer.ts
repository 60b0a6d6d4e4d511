import { HttpServerResponse } from "effect/http"
import type { Html } from "./Html.ts"
import { contentSecurityPolicy } from "./Layout.ts"

const headersWith = (formTargets: ReadonlyArray<string>) => ({
  "content-security-policy": contentSecurityPolicy(formTargets),
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

export const answer = (status: number, { text }: Html, { formTargets = [], headers = {} }: Options = {}) =>
  HttpServerResponse.text(text, {
    status,
    headers: { ...headersWith(formTargets), ...headers },
    contentType: "text/html; charset=utf-8"
  })

/** Redirects with 303: the browser requests the next page with GET and without the form. */
export const redirect = (location: string) =>
  HttpServerResponse.redirect(location, { status: 303, headers: headersWith([]) })

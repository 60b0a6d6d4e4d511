import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Addresses } from "../platform/settings/Addresses.ts"

/** Who sent a form: a page of this service, another site, or a browser that does not tell. */
export type FormOrigin = "here" | "elsewhere" | "unknown"

const isAbsentOr = (value: string | undefined, accepted: ReadonlyArray<string>) =>
  value === undefined || accepted.includes(value)

/**
 * Makes the function that reads from the headers who sent a form. The `Referrer-Policy` of the pages makes browsers send
 * `Origin: null` with the service's own forms. `Sec-Fetch-Site: none` tells that a person began the request, not who made
 * the form.
 */
export const make = Effect.map(Addresses, ({ app_url }) => {
  const { origin } = new URL(app_url)
  return ({ headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">): FormOrigin => {
    const site = headers["sec-fetch-site"]
    const sender = headers["origin"]
    const own = [origin, `http://${headers["host"]}`, `https://${headers["host"]}`]
    if (!isAbsentOr(site, ["same-origin", "none"]) || !isAbsentOr(sender, ["null", ...own])) return "elsewhere"
    return site === "same-origin" || (sender !== undefined && own.includes(sender)) ? "here" : "unknown"
  }
})

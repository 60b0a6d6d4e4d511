import { Duration, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as NextPath from "../../pages/NextPath.ts"
import * as PageCookies from "../../pages/PageCookies.ts"
import type { PaymentIntentId } from "../../wallet/PaymentIntent.ts"

/** Longer than a payment waits. */
const lifetime = Duration.hours(2)

/** Limit of the characters of a kept path: a cookie holds 4,096 bytes. */
const longest = 1_000

/** The page that a request names to be kept; undefined for a path that is too long. */
export const named = (given: string | null | undefined): string | undefined =>
  given === null || given === undefined || given.length > longest ? undefined : given

/**
 * Keeps the page that needed a payment in a cookie of the browser, because the customer comes back from the gateway by an
 * address that does not name it.
 */
export const make = Effect.gen(function* () {
  const { paying, secure } = yield* PageCookies.names
  const next = yield* NextPath.make

  /** Keeps the page in the answer that leads to the payment. */
  const keep = (answer: HttpServerResponse.HttpServerResponse, id: string, given: string) =>
    HttpServerResponse.setCookieUnsafe(answer, paying, `${id}:${next(given)}`, {
      path: "/",
      httpOnly: true,
      sameSite: "lax",
      maxAge: lifetime,
      secure
    })

  /** The page that needed the payment; undefined when this browser keeps none. */
  const pathOf = (id: PaymentIntentId) =>
    Effect.map(HttpServerRequest.HttpServerRequest, ({ cookies }) => {
      const kept = cookies[paying] ?? ""
      return kept.startsWith(`${id}:`) ? next(kept.slice(id.length + 1)) : undefined
    })

  return { keep, pathOf }
})

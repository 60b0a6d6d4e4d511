import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UserId } from "../../src/accounts/User.ts"
import { PromoCodeRegistry } from "../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import * as Browser from "../support/Browser.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as Testing from "../support/OrderTesting.ts"
import { newCode } from "../wallet/promo-codes/PromoCodeTesting.ts"
import { http, newAccount, password } from "./PagesTesting.ts"

const app = `${http}/app`

/** The path and the query of a page. */
export const placeOf = ({ url }: Browser.Page) => url.slice(app.length)

/** The text that a person reads of a page, in one line. */
export const wordsOf = ({ text }: Browser.Page) =>
  text
    .replace(/.*<main[^>]*>/s, "")
    .replace(/<\/main>.*/s, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")

/** Reads the value of a hidden field. */
export const hiddenIn = ({ text }: Browser.Page, name: string) =>
  new RegExp(`type="hidden" name="${name}" value="([^"]*)"`).exec(text)?.[1]

/** A signed-in person with some micro-dollars, and the pages of the shop. */
export const customer = Effect.fnUntraced(function* (balance: bigint = 100_000_000n) {
  const { email, id } = yield* newAccount
  const user_id = Schema.decodeSync(UserId)(id)
  if (balance > 0n) yield* Fixtures.fund(user_id, balance)
  const browser = yield* Browser.forServer(http)
  yield* browser.open(`${app}/sign-in`)
  yield* browser.submit({ email, password })
  const open = (path: string) => browser.open(path.startsWith("http") ? path : `${app}${path}`)

  /** Reviews an order of the offer with this name. */
  const review = Effect.fnUntraced(function* (choice: Record<string, string> = {}, name = "Datacenter") {
    return yield* open(`/shop/${yield* Testing.offerId(name)}/review?${new URLSearchParams(choice).toString()}`)
  })

  return {
    user_id,
    browser,
    open,
    review,
    pay: (fields: Parameters<typeof browser.submit>[0] = {}) => browser.submit(fields, { action: "/review" }),
    balance: Testing.balanceOf(user_id),
    orders: SqlClient.SqlClient.use(
      (sql) => sql<{ id: string; notes: string | null; total: bigint; auto_renew: boolean; city: string | null }>`
        SELECT id, notes, total, auto_renew, city FROM proxy_order WHERE user_id = ${user_id} ORDER BY id`
    )
  }
})

/** A promo code of 20 percent. */
export const promoCode = Effect.map(Effect.provide(newCode(), PromoCodeRegistry.layer), ({ code }) => code)

import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../src/accounts/User.ts"
import type * as Browser from "../support/Browser.ts"
import { fund } from "../support/Fixtures.ts"
import * as Testing from "../support/OrderTesting.ts"
import { reprice } from "../support/Repricing.ts"
import { request } from "../support/TestServer.ts"
import { signedIn } from "./DeskTesting.ts"

interface Bought {
  readonly quantity?: number
  readonly notes?: string
  readonly tarification_index?: number
}

/** A signed-in person with 100 dollars, who buys proxies. */
export const owner = Effect.gen(function* () {
  yield* reprice(100)
  const person = yield* signedIn
  yield* fund(person.user_id, 100_000_000n)

  /** Buys running proxies of the offer with this name, and returns their ids. */
  const buy = Effect.fnUntraced(function* (fields: Bought = {}, name = "Datacenter") {
    const body = { offer_id: yield* Testing.offerId(name), payment_method: "wallet", ...fields }
    const answer = yield* request("POST", "/v1/orders", { user: person.account.token, body })
    return answer.body.map(({ id }: any) => id) as ReadonlyArray<string>
  })
  return { ...person, buy, balance: Testing.balanceOf(person.user_id) }
})

/** The orders of an account, by their notes. */
export const ordersOf = (user_id: UserId) =>
  SqlClient.SqlClient.use(
    (sql) =>
      sql<{
        id: string
        host: string
        port: number
        notes: string | null
        auto_renew: boolean
        protocol: string
        tags: ReadonlyArray<string>
        whitelisted_ips: ReadonlyArray<string>
        expires_at: Date
      }>`SELECT * FROM proxy_order WHERE user_id = ${user_id} ORDER BY notes, id`
  )

/** The rows of the table of a page. */
export const rowsOf = ({ text }: Browser.Page) => (text.match(/<tr role="row">/g)?.length ?? 1) - 1

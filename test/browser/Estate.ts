import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { household } from "../dashboard/FormTesting.ts"
import { http } from "../dashboard/PagesTesting.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as Testing from "../support/OrderTesting.ts"
import { request } from "../support/TestServer.ts"

type Household = Effect.Success<typeof household>

/** Pays a deposit on the page of the sandbox, and answers the number of its invoice. */
const invoice = Effect.fnUntraced(function* ({ account, browser }: Household) {
  const body = { amount: 20, currency: "USD", payment_method: "card_gateway" }
  const deposit = yield* request("POST", "/v1/payments/deposits", { user: account.token, body })
  yield* browser.open(`${http}/app/sandbox/pay/${deposit.body.payment_intent_id}`)
  yield* browser.submit({ outcome: "paid" })
  const page = yield* browser.open(`${http}/app/wallet/invoices`)
  return /wallet\/invoices\/([^"?]+)/.exec(page.text)?.[1] ?? ""
})

/** Buys a proxy that the provider makes, and one that it refuses to make. */
const purchases = Effect.fnUntraced(function* ({ account }: Household) {
  const provider = yield* MemoryProvider
  const offer_id = yield* Testing.offerId("Datacenter")
  const buy = (key: string) =>
    request("POST", "/v1/orders", {
      user: account.token,
      body: { offer_id, payment_method: "wallet", quantity: 2, notes: "Crawler" },
      headers: { "idempotency-key": key }
    })
  const [paid_key, failed_key] = [randomUUID(), randomUUID()]
  yield* buy(paid_key)
  provider.next("refuse", "refuse")
  const failed = yield* buy(failed_key)
  return { paid_key, failed_key, failed_id: failed.body[0].id as string }
})

/** The check of an address, as its form asks for it. */
const check = Effect.fnUntraced(function* ({ at, browser }: Household) {
  yield* at("ip-check")
  const page = yield* browser.submit({ ip: "8.8.8.8", what: "check" })
  return page.url.split("/").at(-1) ?? ""
})

/** A signed-in person with everything that a page can show. */
export const estate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const person = yield* household
  const passkey_id = randomUUID()
  const now = DateTime.toDate(yield* DateTime.now)
  yield* sql`
    INSERT INTO passkey (id, user_id, name, credential_id, public_key, sign_count, is_synced, created_at, last_used_at)
    VALUES (${passkey_id}, ${person.user_id}, 'Phone', ${randomUUID()}, ${randomUUID()}, 7, true, ${now}, ${now})
  `
  // A connection whose code is not redeemed ends after a minute.
  yield* sql`
    UPDATE oauth_connection SET expires_at = '2100-01-01' WHERE grant_id = ${person.ids["grant_id"] ?? ""}
  `
  const ids: Record<string, string> = {
    ...person.ids,
    ...(yield* purchases(person)),
    check_id: yield* check(person),
    number: yield* invoice(person),
    traffic_offer_id: String(yield* Testing.offerId("Residential")),
    mobile_offer_id: String(yield* Testing.offerId("Mobile")),
    passkey_id
  }
  return { ...person, ids }
})

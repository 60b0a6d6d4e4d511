import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { newSession, newStaff } from "../staff/StaffTesting.ts"
import { ask, customer, Instances, many, offerAt, order, soon } from "./InstancesTesting.ts"

/** Pauses an offer at one instance, three times, while both are asked for it. */
export const stopsAtOnce = Effect.gen(function* () {
  const { a, b } = yield* Instances
  const sql = yield* SqlClient.SqlClient
  const { token } = yield* customer(a.url, b.url, 100)
  const offer_id = yield* offerAt(b.url)
  const secret = yield* newSession(yield* newStaff("support"))
  const staff = (path: string, body: object) =>
    ask(a.url, "POST", `/v1/admin/sales-pauses${path}`, {
      headers: { authorization: `Bearer ${secret}`, "idempotency-key": randomUUID() },
      body: { reason: "The vendor has an outage", ...body }
    })
  const at = (n: number) => (n % 2 === 0 ? a.url : b.url)
  for (const round of [1, 2, 3]) {
    const { body, status } = yield* staff("", { scope: "offer", scope_id: String(offer_id) })
    assert.strictEqual(status, 201, `round ${round}`)
    const refused = yield* many(6, (n) => order(at(n + 1), token, offer_id, randomUUID(), 1))
    assert.deepStrictEqual(
      [...new Set(refused.map((one) => `${one.status} ${one.body.details?.reason}`))],
      ["409 out_of_stock"]
    )
    const shown = (at: string) =>
      Effect.map(
        ask(at, "GET", "/v1/catalog"),
        ({ body }) =>
          body.kinds.flatMap(({ offers }: any) => offers).find(({ id }: { id: number }) => id === offer_id).is_available
      )
    for (const { url } of [a, b]) yield* soon("the catalog shows it", shown(url), (available) => !available)
    yield* staff(`/${body.id}/lift`, {})
    for (const { url } of [a, b]) yield* soon("the catalog shows its end", shown(url), Boolean)
    const sold = yield* many(2, (n) => order(at(n), token, offer_id, randomUUID(), 1))
    assert.deepStrictEqual(
      sold.map(({ status }) => status),
      [201, 201]
    )
  }
  // Both count the calls of their providers.
  const counted = sql<{ calls: number }>`
          SELECT sum(calls)::int AS calls FROM provider_calls WHERE operation = 'provision'
        `
  yield* soon("the calls are counted", counted, ([one]) => (one?.calls ?? 0) >= 6)
})

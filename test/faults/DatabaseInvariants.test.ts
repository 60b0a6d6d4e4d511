import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { violations } from "../../faults/DatabaseInvariants.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const now = Date.UTC(2026, 0, 1)
const later = new Date(now + 1000)
const ids = [1, 2].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`)
const [id, otherId] = ids as [string, string]

interface Forged {
  readonly order?: object
  readonly proxy?: object
}

/** The broken invariants of a live order and an open proxy that were changed in this way. */
const broken = Effect.fnUntraced(function* ({ order, proxy }: Forged) {
  const sql = yield* SqlClient.SqlClient
  const seen = Effect.gen(function* () {
    // Drops the constraints of the tables, so that a row needs only the columns of the invariant.
    for (const table of ["proxy_order", "gateway_proxy"]) {
      yield* sql.unsafe(`CREATE TEMP TABLE ${table} ON COMMIT DROP AS SELECT * FROM ${table} LIMIT 0`)
      yield* sql.unsafe(`ALTER TABLE ${table} ADD PRIMARY KEY (id)`)
    }
    const live = { id, provider: "gateway", status: "provisioned", provider_proxy_id: otherId, expires_at: later }
    if (order !== undefined) yield* sql`INSERT INTO proxy_order ${sql.insert({ ...live, ...order })}`
    const open = { id: otherId, reference: id, status: "open", expires_at: later }
    if (proxy !== undefined) yield* sql`INSERT INTO gateway_proxy ${sql.insert({ ...open, ...proxy })}`
    return yield* violations(now)
  })
  const all = yield* sql.withTransaction(seen)
  return all.flatMap((violation) => /^.*?(gateway).*?(?=:)/.exec(violation)?.[0] ?? [])
})

const proxies = "the gateway's open proxies are the live orders"
const time = "a proxy at the gateway has the paid time"

layer(TestDatabase.layer)("The gateway's proxies", (it) => {
  it.effect.each<[string, Forged, ReadonlyArray<string>]>([
    ["a proxy for its order", { order: {}, proxy: {} }, []],
    ["an order without a proxy", { order: {} }, [proxies]],
    ["a proxy without an order", { proxy: {} }, [proxies]],
    ["a proxy that is closed", { order: {}, proxy: { status: "closed" } }, [proxies]],
    ["a proxy of another order", { order: {}, proxy: { reference: otherId } }, [proxies]],
    ["a proxy that ends later", { order: {}, proxy: { expires_at: new Date(now + 2000) } }, [time]]
  ])("%s", ([, forged, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* broken(forged), expected)
    })
  )
})

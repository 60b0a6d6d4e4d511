import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import { GatewayProxyId } from "../../src/gateway/GatewayProxy.ts"
import type { GatewayExtension } from "../../src/gateway/GatewayTerms.ts"
import { Shop } from "../../src/shop/Shop.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { open } from "./traffic/MeteredProxy.ts"

const end = DateTime.makeUnsafe("2100-01-01T00:00:00Z")
const later = DateTime.add(end, { days: 30 })

const append = (changes: Partial<GatewayExtension> = {}): GatewayExtension => ({
  reference: randomUUID(),
  kind: "append",
  expires_at: later,
  limit_bytes: 2_000n,
  ...changes
})

/** Opens a proxy and books this many bytes. */
const used = Effect.fnUntraced(function* (limit_bytes: bigint | null, used_bytes: bigint) {
  const sql = yield* SqlClient.SqlClient
  const proxy = yield* open(limit_bytes)
  yield* sql`UPDATE gateway_proxy SET used_bytes = ${used_bytes} WHERE id = ${proxy.id}`
  return proxy
})

const article = GatewayShop.articleOf({ kind: "residential" })

/** Changes the limits of the article that `open` sells. */
const limitArticle = (limits: { readonly rate_mbps?: number; readonly max_connections?: number }) => {
  const { shop } = GatewayShop.demo
  const articles = { ...shop.articles, [article]: { ...shop.articles[article]!, ...limits } }
  return Effect.provide(GatewayShop.apply({ ...shop, articles }), Shop.layer)
}

const reasonOf = Effect.fnUntraced(function* (change: Effect.Effect<unknown, { readonly detail: string }>) {
  return (yield* Effect.flip(change)).detail
})

layer(
  Layer.mergeAll(GatewayProxies.layer, GatewayShop.layer(), HeldPorts.layer).pipe(
    Layer.provideMerge(TestDatabase.layer)
  )
)("GatewayTerms", (it) => {
  it.effect("appends time and traffic to the running cycle, once per reference", () =>
    Effect.gen(function* () {
      const { extend, get } = yield* GatewayProxies
      const { id } = yield* used(1_000n, 300n)
      const extension = append()
      const extended = yield* Effect.all(
        [1, 2, 3].map(() => extend(id, extension)),
        { concurrency: 3 }
      )
      for (const proxy of extended) assert.deepStrictEqual(proxy, extended[0])
      const { change_reference, cycle, expires_at, limit_bytes, used_bytes } = yield* get(id)
      assert.deepStrictEqual(
        { change_reference, cycle, expires_at, limit_bytes, used_bytes },
        { change_reference: extension.reference, cycle: 1, expires_at: later, limit_bytes: 2_000n, used_bytes: 300n }
      )
    })
  )

  it.effect("restarts with the time and traffic of a full cycle, even when more was left", () =>
    Effect.gen(function* () {
      const { extend } = yield* GatewayProxies
      const { id } = yield* used(1_000n, 1_000n)
      const soon = DateTime.add(yield* DateTime.now, { days: 1 })
      const restart = append({ kind: "restart", expires_at: soon, limit_bytes: 500n })
      const proxy = yield* extend(id, restart)
      assert.deepStrictEqual([proxy.cycle, proxy.expires_at, proxy.limit_bytes, proxy.used_bytes], [2, soon, 500n, 0n])
      assert.deepStrictEqual(yield* extend(id, restart), proxy)
    })
  )

  it.effect(
    "gives a proxy the limits of its article; an extension may raise them, and a new cycle has the present ones",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { extend, get, offers } = yield* GatewayProxies
        yield* limitArticle({ rate_mbps: 20, max_connections: 5 })
        const offer = (yield* offers).find(({ external_id }) => external_id === article)
        assert.match(offer?.description ?? "", / At most 20 Mbit\/s each way, 5 open connections\. /)
        const { id } = yield* open(1_000n)
        assert.deepInclude(yield* get(id), { rate_bps: 20_000_000n, max_connections: 5 })
        yield* limitArticle({ rate_mbps: 10, max_connections: 9 })
        assert.deepInclude(yield* extend(id, append()), { rate_bps: 20_000_000n, max_connections: 9 })
        yield* limitArticle({ max_connections: 2 })
        assert.deepInclude(yield* extend(id, append()), { rate_bps: null, max_connections: 9 })
        yield* limitArticle({ rate_mbps: 10 })
        const present = { rate_bps: 10_000_000n, max_connections: null }
        assert.deepInclude(yield* extend(id, append({ kind: "restart" })), present)
        const { revision } = yield* get(id)
        yield* sql`UPDATE gateway_proxy SET rate_bps = 5000000 WHERE id = ${id}`
        assert.strictEqual((yield* get(id)).revision, revision + 1)
        yield* limitArticle({})
        assert.deepInclude(yield* open(1_000n), { rate_bps: null, max_connections: null })
      })
  )

  it.effect("adds traffic to the limit, once per reference", () =>
    Effect.gen(function* () {
      const { addTraffic } = yield* GatewayProxies
      const { id } = yield* used(1_000n, 1_000n)
      const addition = { reference: randomUUID(), bytes: 500n }
      const proxy = yield* addTraffic(id, addition)
      assert.deepStrictEqual([proxy.limit_bytes, proxy.used_bytes, proxy.cycle], [1_500n, 1_000n, 1])
      assert.deepStrictEqual(yield* addTraffic(id, addition), proxy)
      assert.strictEqual((yield* addTraffic(id, { ...addition, reference: randomUUID() })).limit_bytes, 2_000n)
    })
  )

  it.effect("refuses an invalid change, and changes nothing", () =>
    Effect.gen(function* () {
      const { addTraffic, extend, get } = yield* GatewayProxies
      const { id } = yield* used(1_000n, 300n)
      const before = yield* get(id)
      const past = DateTime.makeUnsafe(-1)
      assert.match(yield* reasonOf(extend(id, append({ expires_at: past }))), /end earlier/)
      assert.match(yield* reasonOf(extend(id, append({ expires_at: past, kind: "restart" }))), /end earlier/)
      assert.match(yield* reasonOf(extend(id, append({ limit_bytes: 299n }))), /below the traffic/)
      const unlimited = yield* open(null)
      const addition = { reference: randomUUID(), bytes: 500n }
      assert.match(yield* reasonOf(addTraffic(unlimited.id, addition)), /unlimited/)
      assert.match(yield* reasonOf(extend(GatewayProxyId.make(randomUUID()), append())), /does not exist/)
      assert.deepStrictEqual(yield* get(id), before)
    })
  )

  it.effect("is backed by the database: an ended proxy cannot change, and no reference changes two proxies", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { close, extend } = yield* GatewayProxies
      const [one, two] = [yield* open(1_000n), yield* open(1_000n)]
      const { change_reference } = yield* extend(one.id, append())
      const twice = sql`UPDATE gateway_proxy SET change_reference = ${change_reference} WHERE id = ${two.id}`
      assert.strictEqual((yield* Effect.flip(twice)).reason._tag, "UniqueViolation")
      yield* close(one.id)
      const revived = [
        sql`UPDATE gateway_proxy SET limit_bytes = 9000 WHERE id = ${one.id}`,
        sql`UPDATE gateway_proxy SET cycle = 2 WHERE id = ${one.id}`,
        sql`UPDATE gateway_proxy SET expires_at = expires_at + interval '1 day', updated_at = expires_at WHERE id = ${two.id}`
      ]
      for (const update of revived) assert.strictEqual((yield* Effect.flip(update)).reason._tag, "ConstraintError")
    })
  )

  it.effect("refuses changes of a closed or expired proxy, and still answers its last change", () =>
    Effect.gen(function* () {
      const { addTraffic, close, extend } = yield* GatewayProxies
      const last = append({ expires_at: end })
      const [closed, expired] = [yield* open(1_000n), yield* open(1_000n)]
      yield* extend(expired.id, last)
      yield* extend(closed.id, { ...last, reference: randomUUID() })
      yield* close(closed.id)
      yield* TestClock.setTime(DateTime.toEpochMillis(end))
      for (const { id } of [closed, expired]) {
        assert.match(yield* reasonOf(extend(id, append())), /has ended/)
        assert.match(yield* reasonOf(extend(id, append({ kind: "restart" }))), /has ended/)
        assert.match(yield* reasonOf(addTraffic(id, { reference: randomUUID(), bytes: 1n })), /has ended/)
      }
      assert.strictEqual((yield* extend(expired.id, last)).change_reference, last.reference)
    })
  )
})

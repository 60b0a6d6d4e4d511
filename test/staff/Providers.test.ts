import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { ApiKeys } from "../../src/accounts/api-keys/ApiKeys.ts"
import { Catalog } from "../../src/catalog/Catalog.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import * as CallDurations from "../../src/provider/CallDurations.ts"
import { CallCountsRepo } from "../../src/provider/CallCountsRepo.ts"
import { newPerson } from "../accounts/AccountsServer.ts"
import { fund, newUser } from "../support/Fixtures.ts"
import { datacenter, residential } from "../support/MemoryOffers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff } from "./StaffTesting.ts"

const ask = (secret: string, method: "GET" | "POST", path: string, body?: object, key: string = randomUUID()) =>
  request(method, `/v1/admin${path}`, {
    headers: { authorization: `Bearer ${secret}`, ...(method === "POST" && { "idempotency-key": key }) },
    ...(body !== undefined && { body })
  })

const outage = { reason: "The vendor has an outage" }
const over = { reason: "The vendor is back" }

const session = (role: "finance" | "owner" | "support" | "viewer") =>
  Effect.flatMap(newStaff(role), (id) => newSession(id))

const sync = Effect.gen(function* () {
  const memory = yield* MemoryProvider
  memory.setOffers([datacenter, residential])
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
})

/** The key of a customer with money. */
const customer = Effect.gen(function* () {
  const user = yield* newUser
  yield* fund(user, 100_000_000n)
  return (yield* ApiKeys.use((keys) => keys.create(user, { name: "key" }))).key
})

layer(TestApp.layer())("Pauses of sales in the admin API", (it) => {
  it.effect("stop the sale for customers at once, and are on record", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const support = yield* session("support")
      yield* sync
      const own = yield* customer
      const { body: catalog } = yield* request("GET", "/v1/catalog?is_available=true")
      const offer_id: number = catalog.kinds.find(({ kind }: any) => kind === "datacenter").offers[0].id
      const buy = request("POST", "/v1/orders", { key: own, body: { offer_id, payment_method: "wallet" } })
      const { body: bought } = yield* buy
      const key = randomUUID()
      const wanted = { scope: "kind", scope_id: "datacenter", ...outage }
      const paused = yield* ask(support, "POST", "/sales-pauses", wanted, key)
      assert.strictEqual(paused.status, 201)
      assert.deepInclude(paused.body, { id: key, scope: "kind", scope_id: "datacenter", lifted_at: null })
      const { placed_at, until_at } = paused.body
      assert.strictEqual(Date.parse(until_at) - Date.parse(placed_at), 24 * 3_600_000)

      const refused = yield* buy
      assert.deepStrictEqual([refused.status, refused.body.details], [409, { reason: "out_of_stock", left: 0 }])
      yield* Catalog.use(({ refresh }) => refresh)
      const shown = yield* request("GET", "/v1/catalog")
      const of = (kind: string) => shown.body.kinds.find((one: any) => one.kind === kind).offers
      assert.isTrue(of("datacenter").every((offer: any) => !offer.is_available))
      assert.isTrue(of("residential").some((offer: any) => offer.is_available))
      // What was sold before can be extended.
      const extended = yield* request("POST", `/v1/orders/${bought[0].id}/extend`, { key: own, body: { months: 1 } })
      assert.strictEqual(extended.status, 200, JSON.stringify(extended.body))

      const again = yield* ask(support, "POST", "/sales-pauses", wanted, key)
      assert.deepStrictEqual(
        [again.status, again.headers["idempotency-replayed"], again.body],
        [201, "true", paused.body]
      )
      const other = yield* ask(support, "POST", "/sales-pauses", { ...wanted, hours: 1 }, key)
      assert.deepStrictEqual([other.status, other.body.details.reason], [409, "idempotency_key_reused"])
      const second = yield* ask(support, "POST", "/sales-pauses", wanted)
      assert.deepStrictEqual([second.status, second.body.details.reason], [409, "already_paused"])

      const more = { hours: 2, reason: "It lasts" }
      const [extending, longer] = [randomUUID(), `/sales-pauses/${key}/extend`]
      for (const replayed of [undefined, "true"]) {
        const extended = yield* ask(support, "POST", longer, more, extending)
        assert.deepStrictEqual([extended.status, extended.headers["idempotency-replayed"]], [200, replayed])
        assert.strictEqual(Date.parse(extended.body.until_at), Date.parse(until_at) + 2 * 3_600_000)
      }
      const tooLong = yield* ask(support, "POST", longer, { ...more, hours: 8_760 })
      assert.deepStrictEqual([tooLong.status, tooLong.body.details.reason], [409, "pause_too_long"])
      assert.strictEqual((yield* ask(support, "POST", `/sales-pauses/${randomUUID()}/extend`, more)).status, 404)

      const lifted = yield* ask(support, "POST", `/sales-pauses/${key}/lift`, over)
      assert.deepInclude(lifted.body, { id: key, lifted_by: "A support", lift_reason: over.reason })
      yield* Catalog.use(({ refresh }) => refresh)
      assert.strictEqual((yield* buy).status, 201)
      const late = yield* ask(support, "POST", `/sales-pauses/${key}/lift`, over)
      assert.deepStrictEqual([late.status, late.body.details.reason], [409, "already_lifted"])
      assert.strictEqual((yield* ask(support, "POST", longer, more)).status, 409)
      const list = yield* ask(support, "GET", "/sales-pauses?limit=1")
      assert.deepStrictEqual(list.body.items, [lifted.body])
      const events = yield* sql`
        SELECT action, after ->> 'state' AS state, after ->> 'scope_id' AS scope_id, reason FROM audit_event
        WHERE subject_kind = 'sales_pause' AND subject_id = ${key} ORDER BY state DESC
      `
      const event = { action: "provider.pause", scope_id: "datacenter" }
      assert.sameDeepMembers(events as Array<unknown>, [
        { ...event, state: "paused", ...outage },
        { ...event, state: "paused", reason: more.reason },
        { ...event, state: "lifted", ...over }
      ])
    })
  )

  it.effect("are for owners and support; a refusal is on record", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const all = { scope: "all", scope_id: null, ...outage }
      for (const role of ["finance", "viewer"] as const) {
        const secret = yield* session(role)
        assert.strictEqual((yield* ask(secret, "POST", "/sales-pauses", all)).status, 403)
        assert.strictEqual((yield* ask(secret, "GET", "/providers")).status, 200)
      }
      const owner = yield* session("owner")
      const paused = yield* ask(owner, "POST", "/sales-pauses", { ...all, hours: 1 })
      assert.strictEqual(paused.status, 201)
      assert.deepStrictEqual((yield* ask(owner, "GET", "/providers")).body.pauses, [paused.body])
      assert.strictEqual((yield* ask(owner, "POST", `/sales-pauses/${paused.body.id}/lift`, over)).status, 200)
      const refused = yield* sql`SELECT FROM audit_event WHERE action = 'provider.pause' AND outcome = 'refused'`
      assert.lengthOf(refused, 2)
    })
  )

  it.effect("refuse what does not exist, and a payment method is unavailable while its pause stands", () =>
    Effect.gen(function* () {
      const owner = yield* session("owner")
      const none = yield* ask(owner, "POST", "/sales-pauses", { scope: "provider", scope_id: "nobody", ...outage })
      assert.strictEqual(none.status, 404)
      for (const wrong of [{ hours: 0 }, { hours: 8_761 }, { reason: "no" }, { scope: "pool" }]) {
        const refused = yield* ask(owner, "POST", "/sales-pauses", {
          scope: "all",
          scope_id: null,
          ...outage,
          ...wrong
        })
        assert.strictEqual(refused.status, 422, JSON.stringify(wrong))
      }
      assert.strictEqual((yield* ask(owner, "POST", `/sales-pauses/${randomUUID()}/lift`, over)).status, 404)
      const { access_token: user } = yield* newPerson
      const deposit = request("POST", "/v1/payments/deposits", {
        user,
        body: { amount: 25, currency: "USD", payment_method: "card_gateway" }
      })
      const { body } = yield* ask(owner, "POST", "/sales-pauses", {
        scope: "method",
        scope_id: "card_gateway",
        ...outage
      })
      assert.strictEqual((yield* deposit).status, 503)
      yield* ask(owner, "POST", `/sales-pauses/${body.id}/lift`, over)
      assert.strictEqual((yield* deposit).status, 201)
    })
  )
})

layer(TestApp.layer())("Providers in the admin API", (it) => {
  it.effect("show calls, balance, stock and pauses", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const viewer = yield* session("viewer")
      const owner = yield* session("owner")
      yield* sync
      const [{ provider = "" } = {}] = yield* sql<{ provider: string }>`SELECT provider FROM offer WHERE listed LIMIT 1`
      const quiet = (yield* ask(viewer, "GET", "/providers")).body.items.find(({ name }: any) => name === provider)
      assert.deepInclude(quiet, { health: "quiet", balance: null, operations: [] })

      const now = yield* DateTime.now
      const durations = CallDurations.none()
      durations[CallDurations.stepOf(45)] = 18
      durations[CallDurations.stepOf(4_000)] = 2
      const called = {
        provider,
        operation: "provision",
        calls: 20,
        refused: 3,
        failed: 1,
        durations,
        failure: "HTTP 500"
      }
      yield* Effect.provide(
        CallCountsRepo.use(({ add }) =>
          Effect.all([
            add([called], now),
            add([{ ...called, failed: 20, refused: 0 }], DateTime.subtract(now, { hours: 2 }))
          ])
        ),
        CallCountsRepo.layer
      )
      const read_at = DateTime.toDate(now)
      yield* sql`INSERT INTO vendor_balance ${sql.insert({ provider, balance_usd: 12_500_000, low_since: read_at, read_at })}`
      const [offer] = yield* sql<{ id: number; name: string }>`
        SELECT id, name FROM offer WHERE listed AND is_available ORDER BY id LIMIT 1
      `
      const { body: pause } = yield* ask(owner, "POST", "/sales-pauses", {
        scope: "offer",
        scope_id: String(offer?.id),
        ...outage
      })
      const { items } = (yield* ask(viewer, "GET", "/providers")).body
      const shown = items.find(({ name }: any) => name === provider)
      assert.deepStrictEqual([shown.health, shown.balance.usd, shown.balance.is_low], ["errors", "12.50", true])
      assert.strictEqual(shown.offers.paused, 1)
      assert.isAbove(shown.offers.listed, shown.offers.paused)
      assert.deepInclude(shown.operations[0], {
        operation: "provision",
        calls: 20,
        refused: 3,
        failed: 1,
        p50_ms: 50,
        p95_ms: 5000,
        failure: "HTTP 500"
      })

      const path = `/providers/${provider}/offers`
      const whole = (yield* ask(viewer, "GET", path)).body
      assert.isNull(whole.next)
      assert.strictEqual(whole.items.find(({ id }: any) => id === offer?.id).paused, true)
      const pages: Array<number> = []
      for (let next: number | null = 0; next !== null;) {
        const page: any = (yield* ask(viewer, "GET", `${path}?limit=1${next === 0 ? "" : `&after=${next}`}`)).body
        pages.push(...page.items.map(({ id }: any) => id))
        next = page.next
      }
      assert.deepStrictEqual(
        pages,
        whole.items.map(({ id }: any) => id)
      )
      assert.strictEqual((yield* ask(viewer, "GET", "/providers/nobody/offers")).status, 404)
      yield* ask(owner, "POST", `/sales-pauses/${pause.id}/lift`, over)
    })
  )
})

layer(TestApp.layerGateway({}))("The built-in gateway as a provider", (it) => {
  it.effect("shows the number of proxies that an article can still sell", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const viewer = yield* session("viewer")
      yield* sql`UPDATE gateway_article SET open_at_most = 7 WHERE id = (SELECT min(id) FROM gateway_article)`
      const { items } = (yield* ask(viewer, "GET", "/providers/gateway/offers?limit=100")).body
      const [{ id = "" } = {}] = yield* sql<{ id: string }>`SELECT min(id) AS id FROM gateway_article`
      assert.strictEqual(items.find(({ external_id }: any) => external_id === id).left, 7)
      assert.isTrue(items.some(({ left }: any) => left === null))
    })
  )
})

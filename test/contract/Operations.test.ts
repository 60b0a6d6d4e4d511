import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Scope } from "../../src/accounts/Scope.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { UserId } from "../../src/accounts/User.ts"
import { SavedCards } from "../../src/wallet/auto-top-up/SavedCards.ts"
import { connect } from "../oauth/AuthorizationTesting.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { residential } from "../support/MemoryOffers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { fund } from "../support/Fixtures.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { fieldsOf, newKey, newPerson } from "./ContractTesting.ts"
import { answers, ip, money, url } from "./OperationAnswers.ts"
import { payDeposit } from "../support/PaidDeposit.ts"
import { bodies, parameters } from "./OperationInputs.ts"

const isScope = Schema.is(Scope)

/** A person with a paid deposit and a tested endpoint, and the ids for the paths above. */
const owner = Effect.gen(function* () {
  const { id, session } = yield* newPerson
  yield* fund(id, 5_000_000n)
  yield* request("POST", "/v1/payments/deposits", { user: session, body: money })
  const { body } = yield* request("GET", "/v1/payments/deposits", { user: session })
  yield* payDeposit(body.deposits[0].payment_intent_id)
  const { body: billed } = yield* request("GET", "/v1/wallet/invoices", { user: session })
  yield* SavedCards.use((cards) => cards.complete(UserId.make(id), id.replaceAll("-", "_")))
  const { body: saved } = yield* request("GET", "/v1/wallet/cards", { user: session })
  const topUp = { enabled: true, threshold: 10, amount: 25, monthly_limit: 100, card_id: saved.cards[0].id }
  yield* request("PUT", "/v1/wallet/auto-top-up", { user: session, body: topUp })
  yield* newKey(session)
  yield* connect(id)
  const { body: endpoint } = yield* request("POST", "/v1/webhooks", { user: session, body: { url, enabled: false } })
  const { body: test } = yield* request("POST", `/v1/webhooks/${endpoint.id}/test`, { user: session })
  const { body: check } = yield* request("POST", "/v1/ip-check", { user: session, body: ip })
  const ids = new Map([
    [":check_id", check.id],
    [":deposit_id", body.deposits[0].id],
    [":number", billed.invoices[0].number],
    [":endpoint_id", endpoint.id],
    [":delivery_id", test.delivery_id]
  ])
  return { session, path: (path: string) => `/v1${path.replace(/:\w+/g, (name) => ids.get(name))}` }
})

const catalog = Effect.gen(function* () {
  ;(yield* MemoryProvider).setOffers([residential])
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
})

const faultsOf = ({ body, status }: { status: number; body: any }) => [
  status,
  [...new Set(body.detail.map(({ loc }: any) => loc.slice(0, 2).join(".")))]
]

layer(TestApp.layer(), { excludeTestServices: true })("The operations of an account", (it) => {
  it.effect("answer exactly these fields to every accepted credential", () =>
    Effect.gen(function* () {
      yield* catalog
      const { path, session } = yield* owner
      const key = yield* newKey(session)
      const unscoped = yield* newKey(session, ["orders:write"])
      for (const [method, template, who, status, fields, body] of answers) {
        const restricted = isScope(who) ? [{ key: yield* newKey(session, [who]) }] : []
        const scoped = who === "anyone" || who === "session" ? [] : [{ key }, ...restricted]
        const anyone = who === "anyone" ? [{}, { key: unscoped }, { key: "prk_unknown" }, { user: "nonsense" }] : []
        for (const credentials of [{ user: session }, ...scoped, ...anyone]) {
          const answer = yield* request(method, path(template), { ...credentials, ...(body && { body }) })
          const asked = `${method} ${template} ${Object.keys(credentials).join()}`
          assert.deepStrictEqual([asked, answer.status, fieldsOf(answer.body)], [asked, status, fields.toSorted()])
        }
      }
    })
  )

  it.effect("accept a query parameter up to its limits, and name it beyond them", () =>
    Effect.gen(function* () {
      const { path, session } = yield* owner
      for (const [template, name, taken, refused] of parameters) {
        const ask = (value: string) => request("GET", `${path(template)}?${name}=${value}`, { user: session })
        for (const value of taken) assert.strictEqual((yield* ask(value)).status, 200, `${template}?${name}=${value}`)
        for (const value of refused)
          assert.deepStrictEqual(faultsOf(yield* ask(value)), [422, [`query.${name}`]], `${template}?${name}=${value}`)
      }
    })
  )

  it.effect("accept a field of a body up to its limits, and name it beyond them", () =>
    Effect.gen(function* () {
      const { session } = yield* owner
      for (const [path, rest, field, taken, refused] of bodies) {
        const send = (value: unknown) =>
          request("POST", `/v1${path}`, { user: session, body: { ...rest, [field]: value } })
        for (const value of taken) assert.strictEqual((yield* send(value)).status, 201, `${field} ${String(value)}`)
        for (const value of refused)
          assert.deepStrictEqual(faultsOf(yield* send(value)), [422, [`body.${field}`]], `${field} ${String(value)}`)
      }
    })
  )

  it.effect("answer a deposit 503 while the gateway is down, and leave no payment behind", () =>
    Effect.gen(function* () {
      const { session } = yield* newPerson
      const gateways = yield* MemoryPaymentGateways
      gateways.setDown(true)
      const { body, status } = yield* request("POST", "/v1/payments/deposits", { user: session, body: money })
      gateways.setDown(false)
      assert.deepStrictEqual([status, body.code, fieldsOf(body)], [503, "SERVICE_UNAVAILABLE", ["code", "detail"]])
      const { body: listed } = yield* request("GET", "/v1/wallet/transactions", { user: session })
      assert.deepStrictEqual(
        listed.transactions.filter(({ status }: any) => status !== "failed"),
        []
      )
    })
  )

  it.effect("remove a revoked key from the list, and no longer accept it", () =>
    Effect.gen(function* () {
      const { session } = yield* newPerson
      const key = yield* newKey(session)
      const { body } = yield* request("GET", "/v1/api-keys", { user: session })
      assert.strictEqual((yield* request("GET", "/v1/flags", { key })).status, 200)
      const revoked = yield* request("DELETE", `/v1/api-keys/${body.api_keys[0].id}`, { user: session })
      assert.deepStrictEqual([revoked.status, revoked.body], [204, null])
      assert.strictEqual((yield* request("GET", "/v1/flags", { key })).status, 401)
      assert.strictEqual((yield* request("GET", "/v1/api-keys", { user: session })).body.total, 0)
    })
  )
})

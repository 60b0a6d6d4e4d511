import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Scope } from "../../src/accounts/Scope.ts"
import { CatalogSyncRepo } from "../../src/catalog/CatalogSyncRepo.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { connect } from "../oauth/AuthorizationTesting.ts"
import { datacenter, mobile } from "../support/MemoryOffers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { fund } from "../support/Fixtures.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { access } from "./AccessTable.ts"
import { compare, isOfOne, isScoped, isAnyones, outcome, scopeOf } from "./AccessTesting.ts"
import { call, fieldsOf, newKey, newPerson, type Operation, operations } from "./ContractTesting.ts"

const schemes = (who: string | undefined) =>
  who === "anyone" ? [] : who === "session" ? ["bearer"] : ["apiKey", "bearer"]

/** The same value for everything that a path names. */
const everywhere = ({ params }: Operation, value: string) => Object.fromEntries(params.map((param) => [param, value]))

/** Somebody who has one of everything: the ids by their names in the paths, with a static order and with a mobile one. */
const newOwner = Effect.gen(function* () {
  const person = yield* newPerson
  const user = person.session
  yield* fund(person.id, 100_000_000n)
  const memory = yield* MemoryProvider
  memory.setOffers([datacenter, { ...mobile, is_available: true }])
  yield* Effect.provide(CatalogSync.run, CatalogSyncRepo.layer)
  const { body: catalog } = yield* request("GET", "/v1/catalog")
  const orders = yield* Effect.forEach([0, 1], (kind) => {
    const [{ id: offer_id }] = catalog.kinds[kind].offers
    const tariff = kind === 0 ? {} : { tarification_index: 0 }
    return request("POST", "/v1/orders", { user, body: { offer_id, payment_method: "wallet", ...tariff } })
  })
  const { body: deposit } = yield* request("POST", "/v1/payments/deposits", {
    user,
    body: { amount: 5, currency: "USD", payment_method: "card_gateway" }
  })
  yield* newKey(user)
  const { body: keys } = yield* request("GET", "/v1/api-keys", { user })
  yield* connect(person.id)
  const { body: apps } = yield* request("GET", "/v1/users/me/connections", { user })
  const { body: wallet } = yield* request("GET", "/v1/wallet/transactions", { user })
  yield* Notifications.use((notifications) =>
    notifications.add([{ user_id: person.id, kind: "proxy_renewed", order_id: null, message: "Renewed" }])
  )
  const { body: notices } = yield* request("GET", "/v1/notifications", { user })
  const { body: endpoint } = yield* request("POST", "/v1/webhooks", { user, body: { url: "https://example.com/" } })
  const { body: delivery } = yield* request("POST", `/v1/webhooks/${endpoint.id}/test`, { user })
  const { body: check } = yield* request("POST", "/v1/ip-check", { user, body: { ip: "8.8.8.8" } })
  const one = {
    transaction_id: wallet.transactions[0].id,
    deposit_id: deposit.id,
    key_id: keys.api_keys[0].id,
    connection_id: apps.connections[0].id,
    notification_id: notices.notifications[0].id,
    endpoint_id: endpoint.id,
    delivery_id: delivery.delivery_id,
    check_id: check.id
  }
  return {
    session: user,
    owned: orders.map(({ body }): Record<string, string> => ({ order_id: body[0].id, ...one }))
  }
})

/** These ask about more than what is there: a code, a stretch of time. */
const asking = ["/v1/promo-codes/preview", "/v1/orders/traffic-usage/summary"]

/** Everything that somebody sees of what is theirs, as text. */
const seenBy = Effect.fnUntraced(function* (user: string) {
  const lists = (yield* operations).filter(
    ({ method, params, path }) => method === "GET" && params.length === 0 && !asking.includes(path)
  )
  return JSON.stringify(yield* Effect.forEach(lists, (list) => Effect.map(call(list, { user }), ({ body }) => body)))
})

layer(TestApp.layer(), { excludeTestServices: true, timeout: "60 seconds" })("Access to the API", (it) => {
  it.effect("every operation of the document has its row here, and declares the credentials of that row", () =>
    Effect.gen(function* () {
      const documented = (yield* operations).map(({ name, security }) => [name, security])
      assert.deepStrictEqual(
        Object.fromEntries(documented),
        Object.fromEntries(Object.entries(access).map(([name, who]) => [name, schemes(who)]))
      )
    })
  )

  it.effect("without credentials, or with ones that nobody gave out, the answer is 401", () =>
    Effect.gen(function* () {
      for (const credentials of [{}, { user: "nonsense" }, { key: `prk_${"A".repeat(43)}` }])
        yield* compare(
          (operation) => !isAnyones(operation),
          (operation) => Effect.map(call(operation, credentials), outcome),
          () => "401 UNAUTHORIZED"
        )
    })
  )

  it.effect("a restricted key without the scope gets 403 with the scope it needs; one with it alone gets in", () =>
    Effect.gen(function* () {
      const { session } = yield* newPerson
      const only = new Map<string, string>()
      const without = new Map<string, string>()
      only.set("full-access", yield* newKey(session))
      without.set("full-access", yield* newKey(session, Scope.literals))
      for (const scope of Scope.literals) {
        only.set(scope, yield* newKey(session, [scope]))
        without.set(
          scope,
          yield* newKey(
            session,
            Scope.literals.filter((other) => other !== scope)
          )
        )
      }
      yield* compare(
        isScoped,
        (operation) =>
          Effect.map(call(operation, { key: without.get(scopeOf(operation)) ?? "" }), (answer) => [
            outcome(answer),
            answer.body.details
          ]),
        (operation) => ["403 INSUFFICIENT_SCOPE", { required_scope: scopeOf(operation) }]
      )
      yield* compare(
        isScoped,
        (operation) =>
          Effect.map(
            call(operation, { key: only.get(scopeOf(operation)) ?? "" }),
            ({ status }) => ![401, 403].includes(status)
          ),
        () => true
      )
    })
  )

  it.effect("where only a signed-in person may, no API key is a credential", () =>
    Effect.gen(function* () {
      const key = yield* newKey((yield* newPerson).session)
      yield* compare(
        (operation) => scopeOf(operation) === "session",
        (operation) => Effect.map(call(operation, { key }), outcome),
        () => "401 UNAUTHORIZED"
      )
    })
  )

  it.effect("what is another's is refused, is changed by nothing, and is in none of one's own lists", () =>
    Effect.gen(function* () {
      const owner = yield* newOwner
      const stranger = yield* newPerson
      yield* fund(stranger.id, 100_000_000n)
      const before = yield* seenBy(owner.session)
      for (const ids of owner.owned)
        yield* compare(
          isOfOne,
          (operation) => Effect.map(call(operation, { user: stranger.session }, ids), outcome),
          // Specification section 4.10.
          ({ path }) => (path.startsWith("/v1/webhooks") ? "404 NOT_FOUND" : "403 FORBIDDEN")
        )
      assert.strictEqual(yield* seenBy(owner.session), before)
      const seen = yield* seenBy(stranger.session)
      // A delivery is in the list of its endpoint only.
      const listed = owner.owned.flatMap((ids) => Object.entries(ids)).filter(([name]) => name !== "delivery_id")
      for (const [, id] of listed) {
        assert.include(before, id)
        assert.notInclude(seen, id)
      }
    })
  )

  it.effect("an unknown id is 404, whatever else the request says", () =>
    Effect.gen(function* () {
      const { session } = yield* newPerson
      yield* compare(
        isOfOne,
        (operation) => Effect.map(call(operation, { user: session }, everywhere(operation, randomUUID())), outcome),
        () => "404 NOT_FOUND"
      )
    })
  )

  it.effect("a malformed id is 422 at its place in the path, and nothing else of the documented example is", () =>
    Effect.gen(function* () {
      const { session } = yield* newPerson
      for (const malformed of ["7", `${randomUUID()}%00`, `${randomUUID()}0`])
        yield* compare(
          isOfOne,
          (operation) =>
            Effect.map(call(operation, { user: session }, everywhere(operation, malformed)), (answer) => ({
              outcome: outcome(answer),
              fields: fieldsOf(answer.body),
              at: answer.body.detail.map(({ loc }: any) => loc)
            })),
          ({ params }) => ({
            outcome: "422 VALIDATION_ERROR",
            fields: ["code", "detail[].loc", "detail[].msg", "detail[].type"],
            at: params.map((param) => ["path", param])
          })
        )
    })
  )

  it.effect("a body in another format is 415, one over 64 KiB is 413", () =>
    Effect.gen(function* () {
      const { session } = yield* newPerson
      const faults = [
        [415, { headers: { "content-type": "text/plain" }, body: "{}" }],
        [413, { body: JSON.stringify("x".repeat(64 * 1024)) }]
      ] as const
      for (const [expected, options] of faults)
        yield* compare(
          ({ statuses }) => statuses.includes("415"),
          (operation) =>
            Effect.map(
              call(operation, { user: session, ...options }, everywhere(operation, randomUUID())),
              ({ status }) => status
            ),
          () => expected
        )
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Scope } from "../../src/accounts/Scope.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { UserId } from "../../src/accounts/User.ts"
import { SavedCards } from "../../src/wallet/auto-top-up/SavedCards.ts"
import { connect } from "../oauth/AuthorizationTesting.ts"
import { datacenter, mobile } from "../support/MemoryOffers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { fund } from "../support/Fixtures.ts"
import { payDeposit } from "../support/PaidDeposit.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { access } from "./AccessTable.ts"
import { compare, isOfOne, isScoped, isAnyones, outcome, scopeOf } from "./AccessTesting.ts"
import { call, fieldsOf, newKey, newPerson, type Operation, operations } from "./ContractTesting.ts"

const schemes = (who: string | undefined) =>
  who === "anyone" ? [] : who === "session" ? ["bearer"] : ["apiKey", "bearer"]

/** The same value for every parameter of a path. */
const everywhere = ({ params }: Operation, value: string) => Object.fromEntries(params.map((param) => [param, value]))

/** Valid ids that do not exist. All are UUIDs but the number of an invoice. */
const unknown = (operation: Operation) => ({ ...everywhere(operation, randomUUID()), number: "2026-999999" })

/** A person who owns one of everything: the ids by parameter name, with a static order and with a mobile one. */
const newOwner = Effect.gen(function* () {
  const person = yield* newPerson
  const user = person.session
  yield* fund(person.id, 100_000_000n)
  const memory = yield* MemoryProvider
  memory.setOffers([datacenter, { ...mobile, is_available: true }])
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
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
  yield* payDeposit(deposit.payment_intent_id)
  const { body: billed } = yield* request("GET", "/v1/wallet/invoices", { user })
  yield* SavedCards.use((saved) => saved.complete(UserId.make(person.id), person.id.replaceAll("-", "_")))
  const { body: cards } = yield* request("GET", "/v1/wallet/cards", { user })
  const topUp = { enabled: true, threshold: 10, amount: 25, monthly_limit: 100, card_id: cards.cards[0].id }
  yield* request("PUT", "/v1/wallet/auto-top-up", { user, body: topUp })
  yield* newKey(user)
  const { body: keys } = yield* request("GET", "/v1/api-keys", { user })
  const { body: signedIn } = yield* request("GET", "/v1/auth/sessions", { user })
  yield* connect(person.id)
  const { body: apps } = yield* request("GET", "/v1/users/me/connections", { user })
  const { body: wallet } = yield* request("GET", "/v1/wallet/transactions", { user })
  yield* Notifications.use((notifications) =>
    notifications.add([{ user_id: person.id, kind: "proxy_renewed", order_id: null, message: () => "Renewed" }])
  )
  const { body: notices } = yield* request("GET", "/v1/notifications", { user })
  const { body: endpoint } = yield* request("POST", "/v1/webhooks", { user, body: { url: "https://example.com/" } })
  const { body: delivery } = yield* request("POST", `/v1/webhooks/${endpoint.id}/test`, { user })
  const { body: check } = yield* request("POST", "/v1/ip-check", { user, body: { ip: "8.8.8.8" } })
  const { body: link } = yield* request("POST", "/v1/download-links", { user, body: { name: "Crawler" } })
  const one = {
    link_id: link.id,
    transaction_id: wallet.transactions[0].id,
    deposit_id: deposit.id,
    number: billed.invoices[0].number,
    card_id: cards.cards[0].id,
    key_id: keys.api_keys[0].id,
    session_id: signedIn.sessions[0].id,
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

/** These read more than stored data: a code, a period of time. */
const asking = ["/v1/promo-codes/preview", "/v1/orders/traffic-usage/summary"]

/** Everything that a person can read about their own data, as text. */
const seenBy = Effect.fnUntraced(function* (user: string) {
  const lists = (yield* operations).filter(
    ({ method, params, path }) => method === "GET" && params.length === 0 && !asking.includes(path)
  )
  return JSON.stringify(yield* Effect.forEach(lists, (list) => Effect.map(call(list, { user }), ({ body }) => body)))
})

layer(TestApp.layer(), { excludeTestServices: true })("Access to the API", (it) => {
  it.effect("every documented operation has a row here, and declares the credentials of that row", () =>
    Effect.gen(function* () {
      const documented = (yield* operations).map(({ name, security }) => [name, security])
      assert.deepStrictEqual(
        Object.fromEntries(documented),
        Object.fromEntries(Object.entries(access).map(([name, who]) => [name, schemes(who)]))
      )
    })
  )

  it.effect("a request without credentials, or with unknown ones, is answered 401", () =>
    Effect.gen(function* () {
      for (const credentials of [{}, { user: "nonsense" }, { key: `prk_${"A".repeat(43)}` }])
        yield* compare(
          (operation) => !isAnyones(operation),
          (operation) => Effect.map(call(operation, credentials), outcome),
          () => "401 UNAUTHORIZED"
        )
    })
  )

  it.effect("a restricted key without the scope gets 403 with its name; a key with only the scope is accepted", () =>
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

  it.effect("an operation for signed-in persons accepts no API key", () =>
    Effect.gen(function* () {
      const key = yield* newKey((yield* newPerson).session)
      yield* compare(
        (operation) => scopeOf(operation) === "session",
        (operation) => Effect.map(call(operation, { key }), outcome),
        () => "401 UNAUTHORIZED"
      )
    })
  )

  it.effect("data of another account is refused, stays unchanged, and is in no list", () =>
    Effect.gen(function* () {
      const owner = yield* newOwner
      const stranger = yield* newPerson
      yield* fund(stranger.id, 100_000_000n)
      const before = yield* seenBy(owner.session)
      for (const ids of owner.owned)
        yield* compare(
          isOfOne,
          (operation) => Effect.map(call(operation, { user: stranger.session }, ids), outcome),
          // A session, an endpoint, a link or an invoice of another account looks like an unknown one (docs/contract.md,
          // "Accounts and sessions", "Webhooks", "Orders", "Wallet and ledger").
          ({ path }) =>
            /^\/v1\/(webhooks|auth\/sessions|download-links|wallet\/invoices|wallet\/cards)/.test(path)
              ? "404 NOT_FOUND"
              : "403 FORBIDDEN"
        )
      assert.strictEqual(yield* seenBy(owner.session), before)
      const seen = yield* seenBy(stranger.session)
      // A delivery appears in the list of its endpoint only.
      const listed = owner.owned.flatMap((ids) => Object.entries(ids)).filter(([name]) => name !== "delivery_id")
      for (const [, id] of listed) {
        assert.include(before, id)
        assert.notInclude(seen, id)
      }
    })
  )

  it.effect("an unknown id is answered 404, regardless of the rest of the request", () =>
    Effect.gen(function* () {
      const { session } = yield* newPerson
      yield* compare(
        isOfOne,
        (operation) => Effect.map(call(operation, { user: session }, unknown(operation)), outcome),
        () => "404 NOT_FOUND"
      )
    })
  )

  it.effect("a malformed id is answered 422 with its place in the path; the example has no other fault", () =>
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

  it.effect("a body in another format is answered 415, a body over 64 KiB 413", () =>
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

import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { AnonymousAccounts } from "../../../src/accounts/sign-in/AnonymousAccounts.ts"
import type { ApiKeyId } from "../../../src/accounts/ApiKey.ts"
import { ApiKeys } from "../../../src/accounts/api-keys/ApiKeys.ts"
import { SignIn } from "../../../src/accounts/sign-in/SignIn.ts"
import type { UserId } from "../../../src/accounts/User.ts"
import { Users } from "../../../src/accounts/users/Users.ts"
import { Atomically } from "../../../src/platform/postgres/Atomically.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as Locks from "../../support/Locks.ts"
import * as OrderRows from "../../support/OrderRows.ts"
import { layer as services } from "../AccountServices.ts"

const password = "correct horse battery staple"
let claimed = 0
const newEmail = () => `owner${++claimed}@example.com`

const newAgent = Effect.gen(function* () {
  const { apiKey, key, user } = yield* AnonymousAccounts.use((accounts) => accounts.create)
  return { user, user_id: user.id, api_key_id: apiKey.id, apiKey, key }
})

interface Agent {
  readonly user_id: UserId
  readonly api_key_id: ApiKeyId
}

const claim = Effect.fnUntraced(function* ({ api_key_id, user_id }: Agent, email: string, name?: string) {
  const accounts = yield* AnonymousAccounts
  const password_hash = yield* accounts.hash(password)
  const claimed = yield* accounts.claim({
    user_id,
    api_key_id,
    email,
    language: "en",
    password_hash,
    ...(name === undefined ? {} : { name })
  })
  return yield* Effect.fromOption(claimed)
})

const scopesOf = (key: string) =>
  Effect.map(
    ApiKeys.use((apiKeys) => apiKeys.find(key)),
    (found) => Option.getOrUndefined(found)?.scopes
  )

const isThere = (user_id: UserId) =>
  Effect.map(Effect.result(Users.use((users) => users.get(user_id))), Result.isSuccess)

layer(services)("Anonymous accounts", (it) => {
  it.effect("an agent gets an account without an owner, and a key that reads the catalog", () =>
    Effect.gen(function* () {
      const { apiKey, key, user } = yield* newAgent
      assert.deepInclude(user, { email: null, name: null, email_verified: false, is_anonymous: true })
      assert.deepInclude(apiKey, { name: "Agent", scopes: ["catalog:read"], expires_at: null })
      assert.deepStrictEqual(yield* scopesOf(key), ["catalog:read"])
    })
  )

  it.effect("the person who claims it signs in and gets a mailed token, and its key reads everything", () =>
    Effect.gen(function* () {
      const agent = yield* newAgent
      const email = newEmail()
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.adjust("1 second")
      const owner = yield* claim(agent, email, "Ada")
      assert.deepInclude(owner, { id: agent.user.id, email, name: "Ada", email_verified: false, is_anonymous: false })
      assert.deepStrictEqual(yield* scopesOf(agent.key), ["catalog:read", "account:read", "orders:read", "wallet:read"])
      const { user } = yield* SignIn.use((signIn) => signIn.login(email, password))
      assert.strictEqual(user.id, agent.user.id)
      assert.deepStrictEqual(yield* sql`SELECT kind FROM email_outbox WHERE to_address = ${email}`, [
        { kind: "email_verification" }
      ])
      const [account] = yield* sql<{ sessions_valid_from: Date }>`
        SELECT sessions_valid_from FROM user_account WHERE id = ${owner.id}
      `
      assert.deepStrictEqual(account?.sessions_valid_from, DateTime.toDate(owner.updated_at))
    })
  )

  it.effect("a claim widens the agent's key only, and not a revoked one", () =>
    Effect.gen(function* () {
      const agent = yield* newAgent
      const apiKeys = yield* ApiKeys
      const other = yield* apiKeys.create(agent.user.id, { name: "other", scopes: ["catalog:read"] })
      yield* apiKeys.revoke(agent.user.id, agent.apiKey.id)
      const owner = yield* claim(agent, newEmail())
      assert.isNull(owner.name)
      assert.deepStrictEqual(yield* scopesOf(other.key), ["catalog:read"])
      assert.isUndefined(yield* scopesOf(agent.key))
    })
  )

  it.effect("one of several concurrent claims succeeds", () =>
    Effect.gen(function* () {
      const agent = yield* newAgent
      const attempts = Array.from({ length: 4 }, () => Effect.result(claim(agent, newEmail())))
      const results = yield* Effect.all(attempts, { concurrency: "unbounded" })
      assert.lengthOf(results.filter(Result.isSuccess), 1)
      for (const lost of results.filter(Result.isFailure)) assert.strictEqual(lost.failure._tag, "NoSuchElementError")
    })
  )

  it.effect("an email with an account is refused, and the caller's transaction continues", () =>
    Effect.gen(function* () {
      const [taken, agent] = [yield* newAgent, yield* newAgent]
      const atomically = yield* Atomically
      const { email } = yield* claim(taken, newEmail())
      const apiKeys = yield* ApiKeys
      const refused = yield* atomically(
        Effect.gen(function* () {
          const refusal = yield* Effect.flip(claim(agent, String(email)))
          yield* apiKeys.revoke(agent.user.id, agent.apiKey.id)
          return refusal
        })
      )
      assert.strictEqual(refused._tag, "EmailTaken")
      assert.isUndefined(yield* scopesOf(agent.key))
      assert.isTrue((yield* Users.use((users) => users.get(agent.user.id))).is_anonymous)
    })
  )
})

layer(services)("Abandoned accounts", (it) => {
  it.effect("are erased unless they are claimed, have an order, have money or are young", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [abandoned, owned, buyer, rich] = [yield* newAgent, yield* newAgent, yield* newAgent, yield* newAgent]
      yield* claim(owned, newEmail())
      yield* OrderRows.offer
      yield* sql`INSERT INTO proxy_order ${sql.insert(OrderRows.paidOrder(randomUUID(), buyer.user_id, yield* DateTime.now))}`
      yield* Effect.provide(Fixtures.fund(rich.user_id, 1n), Wallets.layer)
      yield* TestClock.adjust("30 days")
      const young = yield* newAgent
      const accounts = yield* AnonymousAccounts
      const before = yield* DateTime.now
      assert.deepStrictEqual(yield* accounts.removeAbandoned(before, 10), [abandoned.user_id])
      assert.isEmpty(yield* accounts.removeAbandoned(before, 10))
      assert.isFalse(yield* isThere(abandoned.user_id))
      assert.isUndefined(yield* scopesOf(abandoned.key))
      for (const { key, user_id } of [owned, buyer, rich, young]) {
        assert.isTrue(yield* isThere(user_id))
        assert.isDefined(yield* scopesOf(key))
      }
      assert.strictEqual((yield* Effect.flip(claim(abandoned, newEmail())))._tag, "NoSuchElementError")
    })
  )

  it.effect("are erased in batches, except an account that a person is claiming", () =>
    Effect.gen(function* () {
      const agents = [yield* newAgent, yield* newAgent, yield* newAgent]
      yield* TestClock.adjust("1 second")
      const accounts = yield* AnonymousAccounts
      const claiming = yield* Locks.held(claim(agents[0]!, newEmail()))
      const remove = Effect.flatMap(DateTime.now, (now) => accounts.removeAbandoned(now, 2))
      // The young account of another test may still exist.
      const removed = [...(yield* remove), ...(yield* remove), ...(yield* remove)]
      assert.includeMembers(removed, [agents[1]!.user_id, agents[2]!.user_id])
      assert.notInclude(removed, agents[0]!.user_id)
      yield* claiming.open
      yield* Fiber.join(claiming.running)
      assert.isTrue(yield* isThere(agents[0]!.user_id))
    })
  )
})

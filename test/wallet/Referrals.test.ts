import { NodeCrypto } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, ConfigProvider, Effect, Exit, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { AuthLimits } from "../../src/accounts/AuthLimits.ts"
import type { UserId } from "../../src/accounts/User.ts"
import { Users } from "../../src/accounts/Users.ts"
import { UsersApi } from "../../src/accounts/UsersApi.ts"
import * as UsersHttp from "../../src/accounts/UsersHttp.ts"
import { Atomically } from "../../src/platform/Atomically.ts"
import type { Currency } from "../../src/platform/Money.ts"
import { RateLimit } from "../../src/platform/RateLimit.ts"
import { Referrals } from "../../src/wallet/Referrals.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { WalletTransactions } from "../../src/wallet/WalletTransactions.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { layerOf, request } from "../support/TestServer.ts"

const api = HttpApi.make("proxy-rental").add(UsersApi).prefix("/v1")

const world = (settings: Record<string, string> = {}) =>
  layerOf(api, UsersHttp.layer).pipe(
    Layer.provide([AuthLimits.layer, Users.layer]),
    Layer.provide(RateLimit.layer),
    Layer.provideMerge(Referrals.layer),
    Layer.provideMerge([Wallets.layer, WalletTransactions.layer]),
    Layer.provideMerge([TestDatabase.layer, NodeCrypto.layer]),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings)))
  )

/** Somebody, and somebody they brought. */
const pair = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [referrer, referred] = [yield* Fixtures.newUser, yield* Fixtures.newUser]
  yield* sql`UPDATE user_account SET referred_by = ${referrer} WHERE id = ${referred}`
  return { referrer, referred }
})

const pays = Effect.fnUntraced(function* (
  user_id: UserId,
  amount: bigint,
  currency: Currency = "USD",
  charge_id: string = randomUUID()
) {
  const atomically = yield* Atomically
  const referrals = yield* Referrals
  yield* atomically(referrals.reward({ user_id, currency, amount, payment_method: "card_gateway", charge_id }))
})

const balances = (user: UserId) =>
  Effect.map(
    Wallets.use((wallets) => wallets.list(user)),
    (wallets) => Object.fromEntries(wallets.map(({ balance, currency }) => [currency, balance]))
  )

const answer = (user: UserId) => Effect.map(request("GET", "/v1/users/me/referrals", { user }), ({ body }) => body)

layer(world())("Referrals", (it) => {
  it.effect("a tenth of what a referred account pays in is the referrer's", () =>
    Effect.gen(function* () {
      const { referred, referrer } = yield* pair
      yield* pays(referred, 25_000_000n, "USD", "ch_1")
      yield* pays(referred, 1_000_019n)
      assert.deepStrictEqual(yield* balances(referrer), { USD: 2_600_001n, STAR: 0n })
      assert.deepStrictEqual(yield* balances(referred), { USD: 0n, STAR: 0n })
      const [, first] = yield* WalletTransactions.use((all) => all.list(referrer, "USD", { limit: 10, offset: 0 }))
      const { amount, description, external_id, reference, status, transaction_type } = first ?? {}
      assert.deepStrictEqual(
        { amount, description, external_id, reference, status, transaction_type },
        {
          amount: 2_500_000n,
          description: "Referral share",
          // The gateway's id is between it and the payer.
          external_id: null,
          reference: "referral:card_gateway:ch_1",
          status: "completed",
          transaction_type: "deposit"
        }
      )
    })
  )

  it.effect("the account shows what it brought and earned", () =>
    Effect.gen(function* () {
      const { referred, referrer } = yield* pair
      const before = yield* answer(referrer)
      assert.deepInclude(before, { referred: 1, earned_usd: 0 })
      yield* pays(referred, 10_000_000n)
      yield* pays(referred, 2_500_000n)
      assert.deepInclude(yield* answer(referrer), { referred: 1, earned_usd: 1.25 })
      assert.deepInclude(yield* answer(referred), { referred: 0, earned_usd: 0 })
    })
  )

  it.effect("stars are shared in whole stars, and are not counted in dollars", () =>
    Effect.gen(function* () {
      const { referred, referrer } = yield* pair
      yield* pays(referred, 259n, "STAR")
      yield* pays(referred, 9n, "STAR")
      assert.deepStrictEqual(yield* balances(referrer), { USD: 0n, STAR: 25n })
      assert.deepInclude(yield* answer(referrer), { earned_usd: 0 })
    })
  )

  it.effect("a charge is shared once, also when it is reported ten times at once", () =>
    Effect.gen(function* () {
      const { referred, referrer } = yield* pair
      const charge = randomUUID()
      const again = Effect.exit(pays(referred, 10_000_000n, "USD", charge))
      const reports = yield* Effect.all(
        Arr.makeBy(10, () => again),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(reports.filter(Exit.isSuccess), 1)
      assert.deepStrictEqual(yield* balances(referrer), { USD: 1_000_000n, STAR: 0n })
      assert.deepInclude(yield* answer(referrer), { earned_usd: 1 })
    })
  )

  it.effect("payments at once by many referred accounts are all counted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const referrer = yield* Fixtures.newUser
      const friends = yield* Effect.all(Arr.makeBy(10, () => Fixtures.newUser))
      yield* sql`UPDATE user_account SET referred_by = ${referrer} WHERE ${sql.in("id", friends)}`
      yield* Effect.forEach(friends, (friend) => pays(friend, 1_000_000n), { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* balances(referrer), { USD: 1_000_000n, STAR: 0n })
      assert.deepInclude(yield* answer(referrer), { referred: 10, earned_usd: 1 })
    })
  )

  it.effect("nothing is shared for an account that nobody referred, or with a referrer who left", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { referred, referrer } = yield* pair
      yield* pays(referrer, 10_000_000n)
      yield* Users.use((users) => users.remove(referrer, undefined)).pipe(
        Effect.provide(Users.layer.pipe(Layer.provide(RateLimit.layer)))
      )
      yield* pays(referred, 10_000_000n)
      const entries = yield* sql`SELECT id FROM wallet_transaction WHERE user_id IN (${referrer}, ${referred})`
      assert.lengthOf(entries, 0)
    })
  )
})

layer(world({ REFERRAL_SHARE_PERCENT: "0" }))("Referrals that are switched off", (it) => {
  it.effect("share nothing", () =>
    Effect.gen(function* () {
      const { referred, referrer } = yield* pair
      yield* pays(referred, 10_000_000n)
      assert.deepStrictEqual(yield* balances(referrer), { USD: 0n, STAR: 0n })
    })
  )
})

import { NodeCrypto } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, ConfigProvider, Context, Effect, Exit, Fiber, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { AuthLimits } from "../../../src/accounts/AuthLimits.ts"
import type { UserId } from "../../../src/accounts/User.ts"
import { Users } from "../../../src/accounts/users/Users.ts"
import { UsersApi } from "../../../src/accounts/users/UsersApi.ts"
import { CredentialChanges } from "../../../src/accounts/CredentialChanges.ts"
import * as UsersHttp from "../../../src/accounts/users/UsersHttp.ts"
import { RateLimit } from "../../../src/platform/requests/RateLimit.ts"
import { Deposits } from "../../../src/wallet/payments/Deposits.ts"
import { Notifications } from "../../../src/notifications/Notifications.ts"
import { PaymentFulfilment } from "../../../src/wallet/payments/PaymentFulfilment.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import type { PaymentMethod } from "../../../src/wallet/PaymentMethod.ts"
import * as ReferralPayout from "../../../src/wallet/referrals/ReferralPayout.ts"
import { Referrals } from "../../../src/wallet/referrals/Referrals.ts"
import { ReferralSharesRepo } from "../../../src/wallet/referrals/ReferralSharesRepo.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import { WalletTransactions } from "../../../src/wallet/WalletTransactions.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { layerOf, request } from "../../support/TestServer.ts"

const api = HttpApi.make("proxy-rental").add(UsersApi).prefix("/v1")
const dollar = 1_000_000n

const world = (settings: Record<string, string> = {}) =>
  layerOf(api, Layer.provide(UsersHttp.layer, CredentialChanges.layer)).pipe(
    Layer.provide([AuthLimits.layer, Users.layer]),
    Layer.provide(RateLimit.layer),
    Layer.provideMerge([Deposits.layer, Payments.layer, Referrals.layer, ReferralSharesRepo.layer]),
    Layer.provideMerge([Layer.mock(PaymentFulfilment)({}), Notifications.layer, WalletTransactions.layer]),
    Layer.provideMerge([Wallets.layer, MemoryPaymentGateways.layer]),
    Layer.provideMerge([TestDatabase.layer, NodeCrypto.layer]),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings)))
  )

/** An account and the account that it referred: verified, and without a shared address, unless the options differ. */
const pair = Effect.fnUntraced(function* ({ address = randomUUID() as string, isVerified = true } = {}) {
  const sql = yield* SqlClient.SqlClient
  const [referrer, referred] = [yield* Fixtures.newUser, yield* Fixtures.newUser]
  yield* sql`UPDATE user_account SET signup_address = '192.0.2.1', email_verified = true WHERE id = ${referrer}`
  const change = { referred_by: referrer, signup_address: address, email_verified: isVerified }
  yield* sql`UPDATE user_account SET ${sql.update(change)} WHERE id = ${referred}`
  return { referrer, referred }
})

/** Pays a deposit at a gateway; returns the functions that repeat the call and take the money back. */
const pays = Effect.fnUntraced(function* (
  user: UserId,
  amount: bigint,
  { charge_id = randomUUID() as string, payer = randomUUID() as string, method = "card_gateway" as PaymentMethod } = {}
) {
  const gateways = yield* MemoryPaymentGateways
  const payments = yield* Payments
  const currency = method === "messenger_stars" ? ("STAR" as const) : ("USD" as const)
  const asked = { amount, currency, payment_method: method }
  const { payment_intent_id } = yield* Deposits.use((deposits) => deposits.create(user, asked))
  const paid = gateways.pay(payment_intent_id, { charge_id, payer })
  yield* payments.receive(method, paid)
  const reversal = { charge_id, reversal_id: randomUUID(), kind: "refund", status: "taken", amount: null } as const
  return {
    refund: payments.receive(method, gateways.reverse(payment_intent_id, reversal)),
    again: payments.receive(method, paid)
  }
})

const afterDays = Effect.fnUntraced(function* (days: number) {
  yield* TestClock.adjust(`${days} days`)
  yield* ReferralPayout.run
})

const balances = (user: UserId) =>
  Effect.map(
    Wallets.use((wallets) => wallets.list(user)),
    (wallets) => Object.fromEntries(wallets.map(({ balance, currency }) => [currency, balance]))
  )

const answer = (user: UserId) => Effect.map(request("GET", "/v1/users/me/referrals", { user }), ({ body }) => body)

const reasons = (referrer: UserId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`SELECT status, reason FROM referral_share WHERE referrer_id = ${referrer} ORDER BY created_at`,
      (rows) => rows.map(({ reason, status }) => `${status} ${reason}`)
    )
  )

layer(world())("Referrals", (it) => {
  it.effect(
    "the referrer receives a tenth of a referred payment after 14 days; until then it is shown as pending",
    () =>
      Effect.gen(function* () {
        const { referred, referrer } = yield* pair()
        yield* pays(referred, 25n * dollar, { charge_id: "ch_1" })
        yield* pays(referred, 1_000_019n)
        assert.deepInclude(yield* answer(referrer), { referred: 1, earned_usd: 0, pending_usd: 2.600001 })
        yield* afterDays(13.9)
        assert.deepStrictEqual(yield* balances(referrer), { USD: 0n, STAR: 0n })
        yield* afterDays(0.2)
        assert.deepStrictEqual(yield* balances(referrer), { USD: 2_600_001n, STAR: 0n })
        assert.deepInclude(yield* answer(referrer), { referred: 1, earned_usd: 2.600001, pending_usd: 0 })
        assert.deepInclude(yield* answer(referred), { referred: 0, earned_usd: 0, pending_usd: 0 })
        const entries = yield* WalletTransactions.use((all) =>
          all.list(referrer, { currency: "USD" }, { limit: 10, offset: 0 })
        )
        const first = entries.find(({ reference }) => reference === "referral:card_gateway:ch_1")
        assert.deepInclude(first, {
          amount: 2_500_000n,
          description: "Referral share",
          // The response hides the gateway's id of the charge.
          external_id: null,
          status: "completed",
          transaction_type: "deposit"
        })
      })
  )

  it.effect("a self-referral pays nothing when the accounts share the sign-up address or the card", () =>
    Effect.gen(function* () {
      const atHome = yield* pair({ address: "192.0.2.1" })
      yield* pays(atHome.referred, 100n * dollar)
      assert.deepInclude(yield* answer(atHome.referrer), { referred: 1, earned_usd: 0, pending_usd: 0 })
      const byCard = yield* pair()
      yield* pays(byCard.referrer, 1n * dollar, { payer: "card:mine" })
      yield* pays(byCard.referred, 100n * dollar, { payer: "card:another" })
      yield* pays(byCard.referred, 100n * dollar, { payer: "card:mine" })
      yield* afterDays(15)
      assert.deepStrictEqual(yield* balances(atHome.referrer), { USD: 0n, STAR: 0n })
      assert.deepStrictEqual(yield* balances(byCard.referrer), { USD: 1n * dollar, STAR: 0n })
      assert.deepStrictEqual(yield* reasons(atHome.referrer), ["refused same_address"])
      assert.deepStrictEqual(yield* reasons(byCard.referrer), ["refused same_payer", "refused same_payer"])
    })
  )

  it.effect("a share waits until both accounts verify their email, and is refused after 90 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, other] = [yield* pair({ isVerified: false }), yield* pair({ isVerified: false })]
      yield* pays(one.referred, 10n * dollar)
      yield* pays(other.referred, 10n * dollar)
      yield* afterDays(15)
      assert.deepInclude(yield* answer(one.referrer), { earned_usd: 0, pending_usd: 1 })
      yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${one.referred}`
      yield* afterDays(1)
      assert.deepInclude(yield* answer(one.referrer), { earned_usd: 1, pending_usd: 0 })
      yield* afterDays(90)
      assert.deepStrictEqual(yield* reasons(other.referrer), ["refused unverified"])
    })
  )

  it.effect("the refund of a payment takes back its share, before and after the share was credited", () =>
    Effect.gen(function* () {
      const { referred, referrer } = yield* pair()
      const early = yield* pays(referred, 10n * dollar)
      yield* early.refund
      assert.deepInclude(yield* answer(referrer), { earned_usd: 0, pending_usd: 0 })
      const late = yield* pays(referred, 20n * dollar)
      yield* afterDays(15)
      assert.deepInclude(yield* answer(referrer), { earned_usd: 2, pending_usd: 0 })
      yield* late.refund
      assert.deepInclude(yield* answer(referrer), { earned_usd: 0, pending_usd: 0 })
      assert.deepStrictEqual(yield* balances(referrer), { USD: 0n, STAR: 0n })
      assert.deepStrictEqual(yield* reasons(referrer), ["taken_back reversed", "taken_back reversed"])
    })
  )

  it.effect("a spent share is taken back as far as the wallet has the money", () =>
    Effect.gen(function* () {
      const { referred, referrer } = yield* pair()
      const { refund } = yield* pays(referred, 20n * dollar)
      yield* afterDays(15)
      const spent = {
        order_id: null,
        reference: randomUUID(),
        amount: 1_500_000n,
        amount_usd: 1_500_000n,
        description: ""
      }
      yield* Wallets.use((wallets) =>
        wallets.charge({ user_id: referrer, currency: "USD", spender: null, entries: [spent] })
      )
      yield* refund
      assert.deepStrictEqual(yield* balances(referrer), { USD: 0n, STAR: 0n })
    })
  )

  it.effect("a share of stars is in whole stars and does not count in dollars", () =>
    Effect.gen(function* () {
      const { referred, referrer } = yield* pair()
      yield* pays(referred, 259n, { method: "messenger_stars" })
      yield* pays(referred, 9n, { method: "messenger_stars" })
      yield* afterDays(15)
      assert.deepStrictEqual(yield* balances(referrer), { USD: 0n, STAR: 25n })
      assert.deepInclude(yield* answer(referrer), { earned_usd: 0, pending_usd: 0 })
    })
  )

  it.effect("a charge is shared once when it is reported and paid out ten times simultaneously", () =>
    Effect.gen(function* () {
      const { referred, referrer } = yield* pair()
      const { again } = yield* pays(referred, 10n * dollar)
      yield* Effect.all(
        Arr.makeBy(10, () => again),
        { concurrency: "unbounded" }
      )
      yield* TestClock.adjust("15 days")
      const runs = yield* Effect.all(
        Arr.makeBy(10, () => Effect.exit(ReferralPayout.run)),
        { concurrency: "unbounded" }
      )
      assert.isTrue(runs.every(Exit.isSuccess))
      assert.deepStrictEqual(yield* balances(referrer), { USD: 1n * dollar, STAR: 0n })
      assert.deepInclude(yield* answer(referrer), { earned_usd: 1 })
    })
  )

  it.effect.each(["credited", "taken back"] as const)(
    "a share that is %s locks the account before the wallet",
    (what) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { referred, referrer } = yield* pair()
        const { refund } = yield* pays(referred, 10n * dollar)
        yield* TestClock.adjust("15 days")
        if (what === "taken back") yield* ReferralPayout.run
        const waiting = sql`
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
          AND query LIKE '%referral_earned_usd%'`
        const holder = Effect.gen(function* () {
          yield* sql`SELECT FROM user_account WHERE id = ${referrer} FOR NO KEY UPDATE`
          const moving = Effect.asVoid(what === "credited" ? ReferralPayout.run : refund)
          const elsewhere = Effect.runForkWith(Context.omit(sql.transactionService)(yield* Effect.context<any>()))
          const fiber = elsewhere(moving)
          // A transaction sees the activity of the moment in which it looked first.
          yield* Effect.repeat(Effect.andThen(sql`SELECT pg_stat_clear_snapshot()`, waiting), {
            until: (rows) => rows.length > 0
          })
          yield* sql`SELECT FROM wallet WHERE user_id = ${referrer} FOR NO KEY UPDATE NOWAIT`
          return fiber
        })
        yield* Fiber.join(yield* sql.withTransaction(holder))
        assert.deepStrictEqual(yield* balances(referrer), { USD: what === "credited" ? dollar : 0n, STAR: 0n })
      })
  )

  it.effect("an account without a referrer, or with a deleted referrer, produces no share", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { referred, referrer } = yield* pair()
      yield* pays(referred, 10n * dollar)
      yield* Users.use((users) => users.remove(referrer, undefined)).pipe(
        Effect.provide(Users.layer.pipe(Layer.provide(RateLimit.layer)))
      )
      yield* pays(referred, 10n * dollar)
      yield* afterDays(15)
      const entries = yield* sql`SELECT id FROM wallet_transaction WHERE user_id = ${referrer}`
      assert.lengthOf(entries, 0)
      assert.deepStrictEqual(yield* reasons(referrer), ["refused referrer_left"])
    })
  )
})

layer(world({ REFERRAL_SHARE_PERCENT: "0" }))("Referrals with a share of 0 percent", (it) => {
  it.effect("produce no share", () =>
    Effect.gen(function* () {
      const { referred, referrer } = yield* pair()
      yield* pays(referred, 10n * dollar)
      yield* afterDays(15)
      assert.deepStrictEqual(yield* balances(referrer), { USD: 0n, STAR: 0n })
    })
  )
})

layer(world({ REFERRAL_HOLD_DAYS: "0" }))("Referrals with a hold of 0 days", (it) => {
  it.effect("credit a share in the next round", () =>
    Effect.gen(function* () {
      const { referred, referrer } = yield* pair()
      yield* pays(referred, 10n * dollar)
      yield* ReferralPayout.run
      assert.deepStrictEqual(yield* balances(referrer), { USD: 1n * dollar, STAR: 0n })
    })
  )
})

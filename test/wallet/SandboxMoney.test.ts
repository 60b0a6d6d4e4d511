import { NodeCrypto, NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Cause, ConfigProvider, Context, Effect, Exit, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { inspect } from "node:util"
import type { UserId } from "../../src/accounts/User.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import { Deposits } from "../../src/wallet/payments/Deposits.ts"
import { PaymentFulfilment } from "../../src/wallet/payments/PaymentFulfilment.ts"
import { PaymentGateways } from "../../src/wallet/gateways/PaymentGateways.ts"
import * as SandboxMoney from "../../src/wallet/SandboxMoney.ts"
import { SandboxPayments } from "../../src/wallet/payments/SandboxPayments.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { newTransactionId } from "../../src/wallet/WalletTransaction.ts"
import { WalletTransactions } from "../../src/wallet/WalletTransactions.ts"
import sandboxMoney from "../../migrations/0022_sandbox_money.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const dollar = 1_000_000n

/** The wallets after a restart with Stripe configured, which switches the sandbox off. */
class Live extends Context.Service<Live, Wallets["Service"]>()("test/LiveWallets") {
  static readonly layer = Layer.effect(this, Wallets).pipe(
    Layer.provide(Layer.fresh(Wallets.layer)),
    Layer.provide(
      ConfigProvider.layer(
        ConfigProvider.fromEnvRecord({ STRIPE_SECRET_KEY: "sk_live", STRIPE_WEBHOOK_SECRET: "whsec" })
      )
    )
  )
}

const services = Layer.mergeAll(Deposits.layer, SandboxPayments.layer, WalletTransactions.layer).pipe(
  Layer.provideMerge([Layer.mock(PaymentFulfilment)({}), Notifications.layer, Wallets.layer, Live.layer]),
  Layer.provide(Layer.provide(PaymentGateways.layer, [Addresses.layer, NodeHttpClient.layerNodeHttp])),
  Layer.provideMerge([TestDatabase.layer, NodeCrypto.layer]),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({})))
)

const chargeOf = (user_id: UserId, ...amounts: ReadonlyArray<bigint>) => ({
  user_id,
  currency: "USD" as const,
  spender: null,
  entries: amounts.map((amount) => ({
    order_id: null,
    reference: randomUUID() as string,
    amount,
    amount_usd: amount,
    description: "Proxy"
  }))
})

/** An account with sandbox dollars and real dollars. */
const account = Effect.fnUntraced(function* (pretended: bigint, paid: bigint) {
  const user = yield* Fixtures.newUser
  const request = { amount: pretended * dollar, currency: "USD", payment_method: "card_gateway" } as const
  const { payment_intent_id } = yield* Deposits.use((deposits) => deposits.create(user, request))
  yield* SandboxPayments.use((sandbox) => sandbox.decide(payment_intent_id, "paid"))
  if (paid > 0n) yield* Fixtures.fund(user, paid * dollar)
  return user
})

const spendable = (user: UserId) => Live.use((live) => Effect.map(live.balance(user, "USD"), ({ balance }) => balance))

/** The lines that a start in this environment logs. */
const toldWith = Effect.fnUntraced(function* (environment: Record<string, string>) {
  const lines: Array<unknown> = []
  const kept = Logger.make<unknown, void>(
    ({ logLevel, message }) => void lines.push([logLevel, [message].flat().join()])
  )
  const provided = Layer.merge(Logger.layer([kept]), ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)))
  yield* Effect.provide(SandboxMoney.report, provided)
  return lines
})

layer(services)("Sandbox money", (it) => {
  it.effect("is logged at a start without the sandbox, with its sum and the number of accounts", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* toldWith({ SANDBOX: "false" }), [])
      const user = yield* account(10n, 3n)
      yield* account(8n, 0n)
      yield* Wallets.use((wallets) => wallets.charge(chargeOf(user, 1n * dollar)))
      const told = "The sandbox is off, so its money does not count: 17.00 USD, accounts: 2 (docs/payments.md)"
      assert.deepStrictEqual(yield* toldWith({ SANDBOX: "false" }), [["Info", told]])
      assert.deepStrictEqual(yield* toldWith({}), [])
    })
  )

  it.effect("pays in the sandbox, and buys nothing once a real gateway is configured", () =>
    Effect.gen(function* () {
      const live = yield* Live
      const wallets = yield* Wallets
      const user = yield* account(100n, 0n)
      assert.strictEqual((yield* wallets.balance(user, "USD")).balance, 100n * dollar)
      yield* wallets.charge(chargeOf(user, 5n * dollar))
      assert.strictEqual(yield* spendable(user), 0n)
      const { _tag, details } = yield* Effect.flip(live.charge(chargeOf(user, 1n)))
      assert.strictEqual(_tag, "InsufficientBalance")
      assert.include(details, { required: "0.000001", balance: "0.00" })
    })
  )

  it.effect("is spent first while the sandbox is on, and is not spent after that", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const live = yield* Live
      const user = yield* account(10n, 4n)
      assert.strictEqual(yield* spendable(user), 4n * dollar)
      yield* Wallets.use((wallets) => wallets.charge(chargeOf(user, 6n * dollar, 5n * dollar)))
      assert.strictEqual(yield* spendable(user), 3n * dollar)
      yield* live.charge(chargeOf(user, 1n * dollar, 2n * dollar))
      yield* Effect.flip(live.charge(chargeOf(user, 1n)))
      const rows = yield* sql`
        SELECT (sandbox_before / 1000000)::int AS before, (sandbox_after / 1000000)::int AS after
        FROM wallet_transaction WHERE user_id = ${user} AND status = 'completed' ORDER BY seq
      `
      assert.deepStrictEqual(
        rows.map(({ after, before }) => [before, after]),
        [
          [0, 10],
          [10, 10],
          [10, 4],
          [4, 0],
          [0, 0],
          [0, 0]
        ]
      )
    })
  )

  it.effect("does not become real money through a refund", () =>
    Effect.gen(function* () {
      const live = yield* Live
      const user = yield* account(10n, 2n)
      const charge = chargeOf(user, 11n * dollar)
      yield* Wallets.use((wallets) => wallets.charge(charge))
      assert.strictEqual(yield* spendable(user), 1n * dollar)
      const payment_reference = charge.entries[0]!.reference
      yield* live.refund({ order_id: null, payment_reference, reference: "back", description: "Refund" })
      assert.strictEqual(yield* spendable(user), 2n * dollar)
      yield* Effect.flip(live.charge(chargeOf(user, 3n * dollar)))
    })
  )

  it.effect("is not spent by many simultaneous real purchases", () =>
    Effect.gen(function* () {
      const live = yield* Live
      const user = yield* account(50n, 3n)
      const buy = Effect.exit(Effect.suspend(() => live.charge(chargeOf(user, 1n * dollar))))
      const bought = yield* Effect.all(
        Array.from({ length: 10 }, () => buy),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(bought.filter(({ _tag }) => _tag === "Success").length, 3)
      assert.strictEqual(yield* spendable(user), 0n)
    })
  )

  it.effect("cannot be changed to real money in the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user = yield* account(10n, 2n)
      const id = yield* newTransactionId
      const attempts: ReadonlyArray<readonly [RegExp, Effect.Effect<unknown, unknown, Wallets>]> = [
        [/wallet_balance_is_of_last_entry/, sql`UPDATE wallet SET sandbox_balance = 0 WHERE user_id = ${user}`],
        [/append-only/, sql`UPDATE wallet_transaction SET sandbox_after = 0 WHERE user_id = ${user}`],
        [
          /generated column/,
          sql`INSERT INTO payment_charge (charge_id, is_sandbox) VALUES (${`sandbox_${randomUUID()}`}, false)`
        ],
        [
          /sandbox money is marked/,
          Wallets.use((wallets) =>
            wallets.credit({
              id,
              user_id: user,
              currency: "USD",
              amount: 5n,
              payment_method: "wallet",
              external_id: null,
              reference: `referral:card_gateway:sandbox_${id}`,
              description: "A share",
              is_sandbox: false
            })
          )
        ]
      ]
      for (const [refusal, attempt] of attempts) {
        const exit = yield* Effect.exit(attempt)
        assert.match(Exit.isFailure(exit) ? inspect(Cause.squash(exit.cause), { depth: 9 }) : "done", refusal)
      }
    })
  )

  it.effect("is recognized by the migration of a database that did not mark it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const wallets = yield* Wallets
      const user = yield* account(10n, 4n)
      const [kept, returned] = [chargeOf(user, 6n * dollar), chargeOf(user, 5n * dollar)]
      yield* wallets.charge(kept)
      yield* wallets.charge(returned)
      const payment_reference = returned.entries[0]!.reference
      yield* wallets.refund({ order_id: null, payment_reference, reference: randomUUID(), description: "Refund" })
      const marks = sql`SELECT id, sandbox_before, sandbox_after FROM wallet_transaction WHERE user_id = ${user} ORDER BY id`
      const shares = sql`SELECT id, sandbox_balance FROM wallet WHERE user_id = ${user} ORDER BY id`
      const before = [yield* marks, yield* shares]
      yield* unmarked
      yield* sandboxMoney
      assert.deepStrictEqual([yield* marks, yield* shares], before)
    })
  )
})

/** Removes the marks, as in a database before the migration. */
const unmarked = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE wallet DROP CONSTRAINT wallet_balance_is_of_last_entry`
  yield* sql`ALTER TABLE wallet_transaction DROP CONSTRAINT wallet_transaction_follows`
  yield* sql`ALTER TABLE wallet_transaction DROP CONSTRAINT wallet_transaction_link`
  yield* sql`DROP FUNCTION wallet_transaction_check_sandbox CASCADE`
  yield* sql`DROP TRIGGER auto_top_up_fall_due ON wallet`
  yield* sql`ALTER TABLE wallet DROP COLUMN sandbox_balance, DROP COLUMN sandbox_before`
  yield* sql`ALTER TABLE wallet_transaction DROP COLUMN sandbox_before, DROP COLUMN sandbox_after`
  yield* sql`ALTER TABLE payment_charge DROP COLUMN is_sandbox`
  yield* sql`
    ALTER TABLE wallet_transaction ADD CONSTRAINT wallet_transaction_link UNIQUE (wallet_id, seq, balance_after)
  `
  yield* sql`
    ALTER TABLE wallet_transaction ADD CONSTRAINT wallet_transaction_follows
      FOREIGN KEY (wallet_id, previous_seq, balance_before) REFERENCES wallet_transaction (wallet_id, seq, balance_after)
  `
  yield* sql`
    ALTER TABLE wallet ADD CONSTRAINT wallet_balance_is_of_last_entry
      FOREIGN KEY (id, seq, balance) REFERENCES wallet_transaction (wallet_id, seq, balance_after)
  `
})

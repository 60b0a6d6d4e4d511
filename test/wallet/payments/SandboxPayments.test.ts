import { NodeCrypto, NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../../src/accounts/User.ts"
import { Notifications } from "../../../src/notifications/Notifications.ts"
import { Addresses } from "../../../src/platform/settings/Addresses.ts"
import { Deposits } from "../../../src/wallet/payments/Deposits.ts"
import { PaymentFulfilment } from "../../../src/wallet/payments/PaymentFulfilment.ts"
import { PaymentGateways } from "../../../src/wallet/gateways/PaymentGateways.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import * as SandboxCall from "../../../src/wallet/gateways/SandboxCall.ts"
import { SandboxPayments } from "../../../src/wallet/payments/SandboxPayments.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

const services = Layer.mergeAll(Deposits.layer, Payments.layer, SandboxPayments.layer).pipe(
  Layer.provideMerge([Layer.mock(PaymentFulfilment)({}), Notifications.layer, Wallets.layer]),
  Layer.provide(Layer.provide(PaymentGateways.layer, [Addresses.layer, NodeHttpClient.layerNodeHttp])),
  Layer.provideMerge([TestDatabase.layer, NodeCrypto.layer]),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({})))
)

const deposit = (user: UserId) =>
  Deposits.use((deposits) =>
    deposits.create(user, { amount: 5_000_000n, currency: "USD", payment_method: "card_gateway" })
  )

layer(services)("The sandbox", (it) => {
  it.effect("credits a payment and takes it back when only the reversal is reported", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const payments = yield* Payments
      const user = yield* Fixtures.newUser
      const { payment_intent_id } = yield* deposit(user)
      const [{ secret } = { secret: "" }] = yield* sql<{ secret: string }>`
        SELECT secret FROM sandbox_payment WHERE payment_intent_id = ${payment_intent_id}
      `
      const about = { payment_intent_id, charge_id: `sandbox_${payment_intent_id}`, currency: "USD" } as const
      const reversal = { id: "sandbox_re_1", kind: "refund", status: "taken" } as const
      const back = yield* SandboxCall.signed(secret, { ...about, outcome: "reversed", amount: "2.00", reversal })
      const paid = yield* SandboxCall.signed(secret, { ...about, outcome: "paid", amount: "5.00" })
      assert.strictEqual(yield* payments.receive("card_gateway", back), "paid")
      assert.strictEqual(yield* payments.receive("card_gateway", paid), "duplicate")
      assert.strictEqual(yield* payments.receive("card_gateway", back), "duplicate")
      const { balance } = yield* Wallets.use((wallets) => wallets.balance(user, "USD"))
      assert.strictEqual(balance, 3_000_000n)
    })
  )

  it.effect("reports a decision behind a full batch of decisions that are never accepted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const sandbox = yield* SandboxPayments
      const users = yield* Effect.all(Array.from({ length: 6 }, () => Fixtures.newUser))
      const before = yield* Effect.forEach(users, (user) => Effect.replicateEffect(deposit(user), 20))
      const last = before.flat().at(-1)?.payment_intent_id ?? ""
      const user = yield* Fixtures.newUser
      yield* deposit(user)
      yield* sql`UPDATE sandbox_payment SET outcome = 'paid'`
      yield* sql`
        CREATE FUNCTION refuse_old() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'not this one'; END $$
      `
      yield* sql`
        CREATE TRIGGER refuses_old BEFORE INSERT ON payment_charge
        FOR EACH ROW WHEN (NEW.payment_intent_id <= '${sql.literal(last)}') EXECUTE FUNCTION refuse_old()
      `
      yield* sandbox.resend
      const { balance } = yield* Wallets.use((wallets) => wallets.balance(user, "USD"))
      assert.strictEqual(balance, 5_000_000n)
    })
  )
})

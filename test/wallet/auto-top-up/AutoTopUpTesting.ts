import { NodeCrypto, NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { ConfigProvider, Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../../src/accounts/User.ts"
import { Notifications } from "../../../src/notifications/Notifications.ts"
import { Addresses } from "../../../src/platform/settings/Addresses.ts"
import { AutoTopUps } from "../../../src/wallet/auto-top-up/AutoTopUps.ts"
import * as CardRemoval from "../../../src/wallet/auto-top-up/CardRemoval.ts"
import { SavedCards } from "../../../src/wallet/auto-top-up/SavedCards.ts"
import { SavedCardsRepo } from "../../../src/wallet/auto-top-up/SavedCardsRepo.ts"
import { AutoTopUpOutcomes } from "../../../src/wallet/auto-top-up/AutoTopUpOutcomes.ts"
import { PaymentGateways } from "../../../src/wallet/gateways/PaymentGateways.ts"
import * as AutoTopUpRounds from "../../../src/wallet/payments/AutoTopUpRounds.ts"
import * as CardPaymentLookUps from "../../../src/wallet/payments/CardPaymentLookUps.ts"
import { CardPaymentsRepo } from "../../../src/wallet/payments/CardPaymentsRepo.ts"
import { Deposits } from "../../../src/wallet/payments/Deposits.ts"
import { PaymentFulfilment } from "../../../src/wallet/payments/PaymentFulfilment.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { PaymentSettlement } from "../../../src/wallet/payments/PaymentSettlement.ts"
import { PaymentsRepo } from "../../../src/wallet/payments/PaymentsRepo.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import { WalletTransactions } from "../../../src/wallet/WalletTransactions.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as StripeStandIn from "../../support/StripeStandIn.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

export const dollar = 1_000_000n

export class Stripe extends Context.Service<Stripe, StripeStandIn.StripeStandIn>()("test/wallet/Stripe") {}

const listening = Effect.acquireRelease(
  Effect.callback<{ readonly stripe: StripeStandIn.StripeStandIn; readonly url: string }>((resume) => {
    const stripe = StripeStandIn.make()
    stripe.server.listen(0, "127.0.0.1", () => {
      const address = stripe.server.address()
      const port = typeof address === "object" ? address?.port : 0
      resume(Effect.succeed({ stripe, url: `http://127.0.0.1:${port}` }))
    })
  }),
  ({ stripe }) =>
    Effect.sync(() => {
      stripe.server.closeAllConnections()
      stripe.server.close()
    })
)

/** Wallets, cards and payments over a separate database, with a stand-in of Stripe on the loopback interface. */
export const world = Layer.unwrap(
  Effect.gen(function* () {
    const { stripe, url } = yield* listening
    return Layer.mergeAll(
      AutoTopUpOutcomes.layer,
      AutoTopUps.layer,
      CardPaymentsRepo.layer,
      Deposits.layer,
      Payments.layer,
      PaymentSettlement.layer,
      PaymentsRepo.layer,
      SavedCards.layer,
      SavedCardsRepo.layer,
      WalletTransactions.layer
    ).pipe(
      Layer.provideMerge([Layer.mock(PaymentFulfilment)({}), Notifications.layer, Wallets.layer]),
      Layer.provideMerge(PaymentGateways.layer),
      Layer.provideMerge([
        TestDatabase.layer,
        NodeCrypto.layer,
        NodeHttpClient.layerNodeHttp,
        Addresses.layer,
        Layer.succeed(Stripe, stripe)
      ]),
      Layer.provide(
        ConfigProvider.layer(
          ConfigProvider.fromEnvRecord({
            PUBLIC_URL: "https://proxies.test",
            STRIPE_SECRET_KEY: StripeStandIn.secretKey,
            STRIPE_WEBHOOK_SECRET: StripeStandIn.webhookSecret,
            STRIPE_API_URL: url
          })
        )
      )
    )
  })
)

/** One round of every job of automatic top-ups. */
export const rounds = Effect.all([AutoTopUpRounds.run, CardPaymentLookUps.run, CardRemoval.run], { discard: true })

/** Sends a signed call of Stripe; returns its outcome. */
export const report = Effect.fnUntraced(function* (type: string, object: unknown) {
  const payments = yield* Payments
  const now = yield* DateTime.now
  const call = StripeStandIn.callOf(type, object, Math.floor(DateTime.toEpochMillis(now) / 1000))
  return yield* payments.receive("card_gateway", call)
})

/** Saves a card of the account on Stripe's page. */
export const saveCard = Effect.fnUntraced(function* (owner: UserId, last4?: string) {
  const cards = yield* SavedCards
  const stripe = yield* Stripe
  const url = yield* cards.begin(owner)
  const page_id = url.slice(url.lastIndexOf("/") + 1)
  const { card, session } = stripe.save(page_id, last4)
  yield* cards.complete(owner, page_id)
  const saved = (yield* cards.list(owner)).find(({ card_reference }) => card_reference === card)
  assert.isDefined(saved)
  return { card, id: saved!.id, page_id, session }
})

/** An account with 30 dollars and a saved card, which is charged 20 dollars below 10 dollars, up to 50 a month. */
export const customer = Effect.fnUntraced(function* (
  change: Partial<Parameters<AutoTopUps["Service"]["set"]>[1]> = {}
) {
  const autoTopUps = yield* AutoTopUps
  const sql = yield* SqlClient.SqlClient
  const stripe = yield* Stripe
  const wallets = yield* Wallets
  const user = yield* Fixtures.newUser
  yield* Fixtures.fund(user, 30n * dollar)
  const { card, id } = yield* saveCard(user)
  const choice = {
    is_on: true,
    threshold: 10n * dollar,
    amount: 20n * dollar,
    monthly_limit: 50n * dollar,
    card_id: id,
    ...change
  }
  yield* autoTopUps.set(user, choice)

  return {
    user,
    card,
    card_id: id,
    choice,
    set: (next: Partial<typeof choice>) => autoTopUps.set(user, { ...choice, ...next }),
    settings: autoTopUps.get(user),
    spend: (amount: bigint) =>
      wallets.charge({
        user_id: user,
        currency: "USD",
        spender: null,
        entries: [{ order_id: null, reference: randomUUID(), amount, amount_usd: amount, description: "Spent" }]
      }),
    balance: Effect.map(wallets.balance(user, "USD"), ({ balance }) => Number(balance) / 1e6),
    /** The dollars that the card paid at Stripe, one number for each charge. */
    charges: Effect.sync(() =>
      stripe
        .paid()
        .filter(({ payment_method }) => payment_method === card)
        .map(({ amount }) => amount / 100)
    ),
    /** The payments of the service, oldest first. */
    payments: Effect.map(
      sql<{ readonly status: string }>`SELECT status FROM payment_intent WHERE user_id = ${user} ORDER BY id`,
      (rows) => rows.map(({ status }) => status).join()
    ),
    notices: Effect.map(
      sql<{ readonly kind: string }>`SELECT kind FROM notification WHERE user_id = ${user} ORDER BY id`,
      (rows) => rows.map(({ kind }) => kind).join()
    )
  }
})

import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AutoTopUps } from "../../../src/wallet/auto-top-up/AutoTopUps.ts"
import { SavedCards } from "../../../src/wallet/auto-top-up/SavedCards.ts"
import { Deposits } from "../../../src/wallet/payments/Deposits.ts"
import { customer, dollar, report, rounds, saveCard, Stripe, world } from "./AutoTopUpTesting.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { whilePaused } from "../../support/PauseMethod.ts"

const numbers = Effect.fnUntraced(function* (owner: Parameters<SavedCards["Service"]["list"]>[0]) {
  const cards = yield* SavedCards
  return (yield* cards.list(owner)).map(({ last_digits }) => last_digits)
})

layer(world)("SavedCards", (it) => {
  it.effect("stores a card once, by the way back and by Stripe's call", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const { session } = yield* saveCard(user)
      assert.strictEqual(yield* report("checkout.session.completed", session), "duplicate")
      assert.deepStrictEqual(yield* numbers(user), ["4242"])
    })
  )

  it.effect("stores a card by Stripe's call alone, and none before it is entered", () =>
    Effect.gen(function* () {
      const cards = yield* SavedCards
      const stripe = yield* Stripe
      const user = yield* Fixtures.newUser
      const url = yield* cards.begin(user)
      const page_id = url.slice(url.lastIndexOf("/") + 1)
      assert.isFalse(yield* cards.complete(user, page_id))
      assert.deepStrictEqual(yield* numbers(user), [])
      const { session } = stripe.save(page_id, "1881")
      assert.strictEqual(yield* report("checkout.session.completed", session), "saved")
      assert.deepStrictEqual(yield* numbers(user), ["1881"])
      const asked = stripe.requests.findLast(({ route }) => route === "POST /v1/checkout/sessions")
      assert.deepStrictEqual(asked?.fields, {
        mode: "setup",
        "allowed_payment_method_types[0]": "card",
        customer_creation: "always",
        "metadata[user_id]": user,
        "setup_intent_data[metadata][user_id]": user,
        success_url: "https://proxies.test/app/wallet/auto-top-up?page_id={CHECKOUT_SESSION_ID}",
        cancel_url: "https://proxies.test/app/wallet/auto-top-up"
      })
    })
  )

  it.effect("opens no page while the operator pauses cards", () =>
    Effect.gen(function* () {
      const cards = yield* SavedCards
      const user = yield* Fixtures.newUser
      const refused = yield* whilePaused("card_gateway", Effect.flip(cards.begin(user)))
      assert.strictEqual(refused._tag, "PaymentMethodUnavailable")
      yield* whilePaused("crypto_gateway", cards.begin(user))
    })
  )

  it.effect("stores no card of another account that comes back with the page", () =>
    Effect.gen(function* () {
      const cards = yield* SavedCards
      const [owner, other] = [yield* Fixtures.newUser, yield* Fixtures.newUser]
      const { page_id } = yield* saveCard(owner)
      assert.isFalse(yield* cards.complete(other, page_id))
      assert.isTrue(yield* cards.complete(owner, page_id))
      assert.deepStrictEqual(yield* numbers(other), [])
    })
  )

  it.effect("saves the card of a payment whose customer asks for it, and no other", () =>
    Effect.gen(function* () {
      const deposits = yield* Deposits
      const stripe = yield* Stripe
      const user = yield* Fixtures.newUser
      const wanted = { amount: 25n * dollar, currency: "USD", payment_method: "card_gateway" } as const
      const pay = Effect.fnUntraced(function* (save_card: boolean, last4: string) {
        const { payment_url } = yield* deposits.create(user, { ...wanted, save_card })
        const { card, payment, session } = stripe.pay(String(payment_url).split("/").at(-1) ?? "", last4)
        const outcomes = [
          yield* report("payment_intent.succeeded", payment),
          yield* report("payment_intent.succeeded", payment),
          yield* report("checkout.session.completed", session)
        ]
        return {
          asked: stripe.requests.findLast(({ route }) => route === "POST /v1/checkout/sessions"),
          card,
          outcomes
        }
      })

      const without = yield* pay(false, "0001")
      assert.deepStrictEqual(without.outcomes, ["ignored", "ignored", "paid"])
      assert.notProperty(without.asked?.fields, "customer_creation")
      const saving = yield* pay(true, "0002")
      assert.deepStrictEqual(saving.outcomes, ["saved", "duplicate", "paid"])
      assert.include(saving.asked?.fields, {
        customer_creation: "always",
        "payment_intent_data[setup_future_usage]": "off_session",
        "payment_intent_data[metadata][save_card_of]": user
      })
      assert.deepStrictEqual(
        (yield* (yield* SavedCards).list(user)).map(({ card_reference, last_digits }) => [card_reference, last_digits]),
        [[saving.card, "0002"]]
      )
      for (let digit = 1; digit <= 4; digit++) yield* saveCard(user, `100${digit}`)
      assert.strictEqual((yield* Effect.flip(pay(true, "0003")))._tag, "TooManyCards")
    })
  )

  it.effect("keeps five cards, and removes a sixth at Stripe", () =>
    Effect.gen(function* () {
      const cards = yield* SavedCards
      const stripe = yield* Stripe
      const user = yield* Fixtures.newUser
      const url = yield* cards.begin(user)
      for (let digit = 1; digit <= 5; digit++) yield* saveCard(user, `000${digit}`)
      assert.strictEqual((yield* Effect.flip(cards.begin(user)))._tag, "TooManyCards")
      const { card, session } = stripe.save(url.slice(url.lastIndexOf("/") + 1))
      yield* report("checkout.session.completed", session)
      assert.lengthOf(yield* cards.list(user), 5)
      yield* rounds
      assert.isTrue(stripe.removed.has(card))
    })
  )

  it.effect("removes a card here at once, and at Stripe as soon as it answers", () =>
    Effect.gen(function* () {
      const autoTopUps = yield* AutoTopUps
      const cards = yield* SavedCards
      const sql = yield* SqlClient.SqlClient
      const stripe = yield* Stripe
      const { card, card_id, charges, spend, user } = yield* customer()
      const stored = (yield* cards.list(user))[0]!
      stripe.setDown(true)
      yield* cards.remove(user, card_id)
      assert.strictEqual((yield* Effect.flip(cards.remove(user, card_id)))._tag, "CardNotFound")
      const { card_id: used, is_on, stopped_by } = yield* autoTopUps.get(user)
      assert.deepStrictEqual([used, is_on, stopped_by], [null, false, null])
      yield* rounds
      stripe.setDown(false)
      assert.isFalse(stripe.removed.has(card))
      yield* spend(25n * dollar)
      yield* Effect.andThen(TestClock.adjust("10 minutes"), rounds)
      assert.isTrue(stripe.removed.has(card))
      assert.isTrue(stripe.removed.has(stored.customer_reference))
      assert.isEmpty(yield* sql`SELECT id FROM saved_card WHERE id = ${card_id}`)
      assert.deepStrictEqual(yield* charges, [])
    })
  )

  it.effect("does not bring a removed card back when Stripe repeats its call", () =>
    Effect.gen(function* () {
      const cards = yield* SavedCards
      const user = yield* Fixtures.newUser
      const { id, session } = yield* saveCard(user)
      yield* cards.remove(user, id)
      assert.strictEqual(yield* report("checkout.session.completed", session), "duplicate")
      yield* rounds
      assert.strictEqual(yield* report("checkout.session.completed", session), "ignored")
      assert.deepStrictEqual(yield* numbers(user), [])
    })
  )

  it.effect("keeps a removed card at Stripe until its payments are known", () =>
    Effect.gen(function* () {
      const cards = yield* SavedCards
      const stripe = yield* Stripe
      const { balance, card, card_id, charges, payments, spend, user } = yield* customer()
      stripe.setWire("answer lost")
      yield* spend(25n * dollar)
      yield* rounds
      stripe.setWire("whole")
      yield* cards.remove(user, card_id)
      yield* rounds
      assert.isFalse(stripe.removed.has(card))
      yield* Effect.andThen(TestClock.adjust("3 minutes"), rounds)
      assert.deepStrictEqual([yield* charges, yield* payments, yield* balance], [[20], "paid", 25])
      yield* rounds
      assert.isTrue(stripe.removed.has(card))
    })
  )

  it.effect("ends the cards and the settings with the account", () =>
    Effect.gen(function* () {
      const autoTopUps = yield* AutoTopUps
      const sql = yield* SqlClient.SqlClient
      const stripe = yield* Stripe
      const { card, user } = yield* customer()
      const now = DateTime.toDate(yield* DateTime.now)
      yield* sql`
        UPDATE user_account SET deleted_at = ${now}, updated_at = ${now}, email = NULL, name = NULL, password_hash = NULL
        WHERE id = ${user}
      `
      assert.deepStrictEqual(yield* numbers(user), [])
      assert.strictEqual((yield* Effect.flip(autoTopUps.get(user)))._tag, "AutoTopUpNotSet")
      yield* rounds
      assert.isTrue(stripe.removed.has(card))
    })
  )
})

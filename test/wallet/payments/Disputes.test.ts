import { assert, layer } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RestrictionId } from "../../../src/accounts/restrictions/Restriction.ts"
import { Restrictions } from "../../../src/accounts/restrictions/Restrictions.ts"
import type { DisputeReport, Reversed } from "../../../src/wallet/gateways/PaymentGateway.ts"
import * as DisputeRounds from "../../../src/wallet/payments/DisputeRounds.ts"
import { Disputes } from "../../../src/wallet/payments/Disputes.ts"
import { DisputesRepo } from "../../../src/wallet/payments/DisputesRepo.ts"
import { PaymentReversals } from "../../../src/wallet/payments/PaymentReversals.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { deposited, dollar, servicesWith } from "./PaymentsTesting.ts"

const servicesBy = (settings: Record<string, string>) =>
  Layer.mergeAll(
    Disputes.layer,
    DisputesRepo.layer,
    Restrictions.layer,
    ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings))
  ).pipe(Layer.provideMerge(servicesWith(settings)))

type Reported = Partial<Omit<Reversed, "_tag" | "dispute">> & { readonly dispute?: Partial<DisputeReport> }

/** An account that paid 25 dollars, and the calls that report a dispute of the payment. */
const disputing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const gateways = yield* MemoryPaymentGateways
  const payments = yield* Payments
  const { deposit, pay, user } = yield* deposited
  yield* pay()
  const intent = deposit.payment_intent_id
  const id = `du_${intent}`
  const report = ({ dispute, ...change }: Reported) =>
    payments.receive(
      "card_gateway",
      gateways.reverse(intent, {
        charge_id: `charge_${intent}`,
        reversal_id: id,
        kind: "dispute",
        status: "taken",
        amount: null,
        ...change,
        ...(dispute !== undefined && {
          dispute: { state: "needs_answer", reason: null, answer_by: null, ...dispute }
        })
      })
    )
  const isSuspended = Effect.map(
    sql<{ service_blocked: boolean }>`SELECT service_blocked FROM user_account WHERE id = ${user}`,
    ([row]) => row?.service_blocked
  )
  const found = Disputes.use((disputes) => disputes.find(id))
  return { id, found, isSuspended, report, user }
})

layer(servicesBy({}))("A dispute", (it) => {
  it.effect("shows what the gateway tells about it, in whichever order the reports arrive", () =>
    Effect.gen(function* () {
      const { found, id, report, user } = yield* disputing
      const answer_by = DateTime.makeUnsafe("2027-02-01T23:59:59Z")
      yield* report({ dispute: { reason: "fraudulent", answer_by } })
      const first = yield* found
      assert.deepInclude(first, { reversal_id: id, user_id: user, dispute_state: "needs_answer", reason: "fraudulent" })
      assert.deepInclude(first, { amount: 25n * dollar, debited: 25n * dollar, short: 0n, status: "taken" })
      assert.deepStrictEqual(first.answer_by, answer_by)
      yield* report({ dispute: { state: "lost" } })
      yield* report({ dispute: { state: "under_review" } })
      const last = yield* found
      assert.deepInclude(last, { dispute_state: "lost", reason: "fraudulent", status: "taken" })
      yield* report({ status: "returned", dispute: { state: "won" } })
      yield* report({ dispute: { state: "needs_answer" } })
      assert.deepInclude(yield* found, { dispute_state: "won", given_back: 25n * dollar, status: "returned" })
    })
  )

  it.effect("needs another answer when an answered inquiry takes the money, and a late report does not hide that", () =>
    Effect.gen(function* () {
      const { found, report } = yield* disputing
      const answer_by = DateTime.makeUnsafe("2027-03-01T23:59:59Z")
      yield* report({ status: "announced", dispute: { state: "under_review" } })
      yield* report({ dispute: { state: "needs_answer", answer_by } })
      yield* report({ status: "announced", dispute: { state: "under_review" } })
      const last = yield* found
      assert.deepInclude(last, { dispute_state: "needs_answer", status: "taken" })
      assert.deepStrictEqual(last.answer_by, answer_by)
    })
  )

  it.effect("is in the list of its account and of its state, and refunds are not", () =>
    Effect.gen(function* () {
      const { id, report, user } = yield* disputing
      yield* report({ kind: "refund", reversal_id: `re_${id}`, amount: dollar })
      yield* report({ dispute: { state: "under_review" } })
      const disputes = yield* Disputes
      const idsOf = Effect.map((all: ReadonlyArray<{ readonly reversal_id: string }>) =>
        all.map(({ reversal_id }) => reversal_id)
      )
      assert.deepStrictEqual(yield* idsOf(disputes.list({ user_id: user }, 9)), [id])
      assert.include(yield* idsOf(disputes.list({ state: "under_review" }, 99)), id)
      assert.notInclude(yield* idsOf(disputes.list({ state: "won" }, 99)), id)
      yield* TestClock.adjust("1 minute")
      const other = yield* disputing
      yield* other.report({})
      assert.include(yield* idsOf(disputes.list({ after: other.id }, 99)), id)
      assert.notInclude(yield* idsOf(disputes.list({ after: id }, 99)), other.id)
    })
  )

  it.effect("stops no proxies by default", () =>
    Effect.gen(function* () {
      const { isSuspended, report } = yield* disputing
      yield* report({})
      yield* DisputeRounds.run
      assert.isFalse(yield* isSuspended)
    })
  )
})

layer(servicesBy({ DISPUTE_POLICY: "suspend" }))("With the policy suspend, a dispute", (it) => {
  it.effect("stops the proxies until it is won, whatever is notified how often", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { found, isSuspended, report, user } = yield* disputing
      yield* report({ status: "announced" })
      yield* DisputeRounds.run
      assert.isFalse(yield* isSuspended, "an inquiry takes no money")
      yield* report({})
      yield* Effect.all([DisputeRounds.run, DisputeRounds.run, DisputeRounds.run], { concurrency: "unbounded" })
      assert.isTrue(yield* isSuspended)
      const placed =
        yield* sql`SELECT preset, reason_code, source, public_reason FROM account_restriction WHERE user_id = ${user}`
      assert.deepStrictEqual(placed, [
        {
          preset: "suspend",
          reason_code: "dispute",
          source: "dispute",
          public_reason: "A payment of your account is disputed."
        }
      ])
      const [notice] = yield* sql<{ message: string }>`
        SELECT message FROM notification WHERE user_id = ${user} AND message LIKE '%25.00 of your payment%'`
      assert.match(notice?.message ?? "", /and your proxies stop, until the dispute is over/)
      yield* report({ dispute: { state: "lost" } })
      yield* DisputeRounds.run
      assert.isTrue(yield* isSuspended, "a lost dispute")
      yield* report({ status: "returned", dispute: { state: "won" } })
      yield* DisputeRounds.run
      assert.isFalse(yield* isSuspended)
      assert.isNotNull((yield* found).restriction_id)
    })
  )

  it.effect("that staff lift frees the account, and a person who lifts the restriction is not overruled", () =>
    Effect.gen(function* () {
      const one = yield* disputing
      yield* one.report({})
      yield* DisputeRounds.run
      assert.isTrue(yield* one.isSuspended)
      yield* PaymentReversals.use((reversals) => reversals.lift(one.user))
      yield* DisputeRounds.run
      assert.isFalse(yield* one.isSuspended)
      const other = yield* disputing
      yield* other.report({})
      yield* DisputeRounds.run
      const id = RestrictionId.make((yield* other.found).restriction_id ?? "")
      yield* Restrictions.use((restrictions) => restrictions.lift(id, { by: "ada", reason: "A good customer" }))
      yield* DisputeRounds.run
      assert.isFalse(yield* other.isSuspended)
    })
  )

  it.effect("keeps the proxies stopped while another one is open", () =>
    Effect.gen(function* () {
      const { id, isSuspended, report } = yield* disputing
      yield* report({ amount: 5n * dollar })
      yield* report({ amount: 5n * dollar, reversal_id: `${id}_2` })
      yield* DisputeRounds.run
      yield* report({ status: "returned" })
      yield* DisputeRounds.run
      assert.isTrue(yield* isSuspended)
      yield* report({ status: "returned", reversal_id: `${id}_2` })
      yield* DisputeRounds.run
      assert.isFalse(yield* isSuspended)
    })
  )
})

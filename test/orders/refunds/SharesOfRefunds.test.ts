import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../../src/accounts/User.ts"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { OrderRefunds } from "../../../src/orders/refunds/OrderRefunds.ts"
import * as ReferralPayout from "../../../src/wallet/referrals/ReferralPayout.ts"
import { Referrals } from "../../../src/wallet/referrals/Referrals.ts"
import { ReferralSharesRepo } from "../../../src/wallet/referrals/ReferralSharesRepo.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as OrderTesting from "../../support/OrderTesting.ts"
import { messageOf } from "../../wallet/DatabaseRefusal.ts"
import { disputed, failed, paidBack, reported, rowsOf } from "./CardRefundTesting.ts"
import * as RefundTesting from "./RefundTesting.ts"

/** A card buyer with a proxy for 1.50 dollars, whose referrer has got the share of 2.50 dollars. */
const referred = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const referrer = yield* Fixtures.newUser
  const buyer = yield* OrderTesting.buyer(0n)
  yield* sql`UPDATE user_account SET email_verified = true WHERE id IN (${referrer}, ${buyer.user_id})`
  yield* sql`UPDATE user_account SET referred_by = ${referrer} WHERE id = ${buyer.user_id}`
  const { caller, intent, user } = yield* RefundTesting.paidByCard(buyer)
  yield* TestClock.adjust("15 days")
  yield* payout
  const request = yield* OrderTesting.request()
  const { orders } = yield* OrderPlacement.use((placement) => placement.place(caller, request, undefined))
  return { id: OrderId.make(orders[0]?.id ?? ""), user, intent, referrer, charge_id: `charge_${intent}` }
})

const payout = Effect.suspend(() => Effect.andThen(TestClock.adjust("1 day"), ReferralPayout.run)).pipe(
  Effect.provide([Referrals.layer, ReferralSharesRepo.layer])
)

const balanceOf = (user: UserId) => Effect.map(RefundTesting.ledger(user), ({ balance }) => balance)

const spent = (amount: bigint) => ({
  order_id: null,
  reference: randomUUID(),
  amount,
  amount_usd: amount,
  description: ""
})

layer(RefundTesting.layer)("A refund to the card", (it) => {
  it.effect("takes the referrer's share when it succeeds, and gives it back when it fails, each time", () =>
    Effect.gen(function* () {
      const { charge_id, id, intent, referrer, user } = yield* referred
      const share = balanceOf(referrer)
      assert.strictEqual(yield* share, 2_500_000n)
      const { id: refund } = yield* paidBack(id, 1_000_000n)
      assert.strictEqual(yield* share, 0n)
      yield* reported(intent, charge_id, (yield* rowsOf(user))[0]?.id ?? "", failed)
      yield* payout
      assert.strictEqual(yield* share, 2_500_000n)
      yield* OrderRefunds.use((refunds) => refunds.again(refund))
      yield* OrderRefunds.use((refunds) => refunds.finish(refund))
      assert.strictEqual(yield* share, 0n)
      yield* reported(intent, charge_id, (yield* rowsOf(user))[1]?.id ?? "", failed)
      yield* payout
      assert.strictEqual(yield* share, 2_500_000n)
    })
  )

  it.effect("does not give the share back while another refund or dispute stands, nor a spent part of it", () =>
    Effect.gen(function* () {
      const { charge_id, id, intent, referrer, user } = yield* referred
      const share = balanceOf(referrer)
      yield* Wallets.use((wallets) =>
        wallets.charge({ user_id: referrer, currency: "USD", spender: null, entries: [spent(2_000_000n)] })
      )
      const [one, other] = [yield* paidBack(id, 500_000n), yield* paidBack(id, 500_000n)]
      assert.strictEqual(yield* share, 0n)
      const rows = yield* rowsOf(user)
      yield* reported(intent, charge_id, rows[0]?.id ?? "", failed)
      yield* payout
      assert.strictEqual(yield* share, 0n, `${other.id} still stands`)
      yield* reported(intent, charge_id, rows[1]?.id ?? "", failed)
      yield* payout
      assert.strictEqual(yield* share, 500_000n)
      yield* OrderRefunds.use((refunds) => refunds.again(one.id))
      yield* OrderRefunds.use((refunds) => refunds.finish(one.id))
      yield* disputed(intent, charge_id, 1_000_000n)
      yield* reported(intent, charge_id, (yield* rowsOf(user))[2]?.id ?? "", failed)
      yield* payout
      assert.strictEqual(yield* share, 0n)
    })
  )

  it.effect("gives back the share of a charge, in the database too, only when nothing takes the charge back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, user } = yield* referred
      const again = sql`
        INSERT INTO referral_share (payment_method, charge_id, round, referrer_id, referred_id, currency, amount, status,
          due_at, created_at, updated_at)
        SELECT payment_method, charge_id, round + 1, referrer_id, referred_id, currency, amount, 'held', due_at, created_at,
          created_at FROM referral_share WHERE referred_id = ${user}`
      assert.match(messageOf(yield* Effect.flip(again)), /referral_share_once/)
      yield* paidBack(id, 1_000_000n)
      assert.match(messageOf(yield* Effect.flip(again)), /a share returns when nothing takes its payment back/)
    })
  )
})

import type { Plant } from "./Plant.ts"

const reversed = "a payment that goes back is taken once, and stops its account"

/** Most customers have a card that pays by itself. */
const topUps = { vendorShare: 0, topUpShare: 80, orders: 200, seconds: 120 }

/** Plants about payments and their reversals. */
export const paymentPlants: ReadonlyArray<Plant> = [
  {
    name: "balance-unchecked",
    what: "a wallet pays more than it holds",
    breaks: "a balance is the sum of its ledger, and never below zero",
    extent: { vendorShare: 0 },
    edits: [
      { file: "src/wallet/LedgerRepo.ts", find: " AND w.balance + b.amount >= ${left}", replace: "" },
      {
        file: "migrations/0022_sandbox_money.ts",
        find: " AND sandbox_after <= coalesce(balance_after, 0)",
        replace: ""
      },
      {
        file: "migrations/0022_sandbox_money.ts",
        find: "AND sandbox_before <= coalesce(balance_before, 0)",
        replace: ""
      },
      {
        file: "migrations/0022_sandbox_money.ts",
        find: "CHECK (sandbox_balance BETWEEN 0 AND balance)",
        replace: "CHECK (sandbox_balance >= 0)"
      },
      {
        file: "migrations/0006_wallet.ts",
        find: "balance bigint NOT NULL CHECK (balance >= 0),",
        replace: "balance bigint NOT NULL,"
      },
      {
        file: "migrations/0006_wallet.ts",
        find: "balance_after bigint CHECK (balance_after >= 0),",
        replace: "balance_after bigint,"
      }
    ]
  },
  {
    name: "restriction-ignored",
    what: "a restricted account can still pay",
    breaks: "a restriction refuses orders, and its end allows them",
    extent: { vendorShare: 0, orders: 600, topUpShare: 0 },
    edits: [
      { file: "src/wallet/LedgerRepo.ts", find: " OR w.spending_blocked", replace: "" },
      {
        file: "migrations/0075_payouts.ts",
        find: "purchases_stopped OR spending_blocked INTO",
        replace: "purchases_stopped INTO"
      }
    ]
  },
  {
    name: "payment-twice",
    what: "a payment is credited each time that its gateway reports it",
    breaks: "a payment is credited once",
    extent: { vendorShare: 0 },
    edits: [
      {
        file: "src/wallet/payments/PaymentsRepo.ts",
        find: "return yield* Rows.any(written)",
        replace: "return !(yield* Rows.any(written)) || true"
      },
      { file: "migrations/0006_wallet.ts", find: "      PRIMARY KEY (payment_method, charge_id),\n", replace: "" },
      {
        file: "migrations/0036_reversals_of_one_charge.ts",
        find: "GROUP BY c.payment_method, c.charge_id",
        replace: "GROUP BY c.payment_method, c.charge_id, c.user_id, c.currency, c.amount"
      },
      {
        file: "migrations/0024_payment_reversals.ts",
        find: "OR EXISTS (SELECT FROM payment_charge WHERE transaction_id = NEW.id AND is_sandbox)",
        replace: "OR NEW.sandbox_after <> NEW.sandbox_before"
      },
      {
        file: "src/wallet/referrals/ReferralSharesRepo.ts",
        find: "INSERT INTO referral_share ${sql.insert(row)}",
        replace: "INSERT INTO referral_share ${sql.insert(row)} ON CONFLICT DO NOTHING"
      },
      {
        file: "src/wallet/payments/PaymentSettlement.ts",
        find: "reference: `${payment_method}:${charge_id}`",
        replace: "reference: `${payment_method}:${charge_id}:${id}`"
      }
    ]
  },
  {
    name: "reversal-ignored",
    what: "a reversed payment stays in the wallet",
    breaks: reversed,
    extent: { vendorShare: 0, orders: 40 },
    edits: [
      {
        file: "src/wallet/payments/PaymentSettlement.ts",
        find: "return yield* reversals.apply(method, event)",
        replace: `return ((_: unknown) => "ignored" as const)(reversals)`
      }
    ]
  },
  {
    name: "reversal-twice",
    what: "a reversed payment is taken each time that its gateway reports the reversal",
    breaks: reversed,
    extent: { vendorShare: 0, orders: 40 },
    edits: [
      {
        file: "src/wallet/payments/PaymentReversals.ts",
        find: "rank[event.status] <= rank[known.status])",
        replace: `(event.status === "taken" ? known.status === "returned" : rank[event.status] <= rank[known.status]))`
      },
      {
        file: "src/wallet/payments/PaymentReversals.ts",
        find: "reference: referenceOf(payment_method, event),",
        replace: "reference: `${referenceOf(payment_method, event)}:${id}`,"
      },
      { file: "migrations/0036_reversals_of_one_charge.ts", find: "OLD.status <> 'announced'\n", replace: "false\n" }
    ]
  },
  {
    name: "reversal-hidden",
    what: "a reversal that comes to nothing returns money that another reversal of the payment claims",
    breaks: reversed,
    extent: { vendorShare: 0, orders: 800 },
    edits: [
      {
        file: "src/wallet/payments/PaymentReversals.ts",
        find: "held - least(claimed, charge.amount)",
        replace: "held - least(claimed, 0n)"
      },
      {
        file: "migrations/0036_reversals_of_one_charge.ts",
        find: "of_charge.held > of_charge.claimed OR (NEW.given_back > 0 AND of_charge.held < of_charge.claimed)",
        replace: "false"
      }
    ]
  },
  {
    name: "dispute-undebited",
    what: "a refund to a card that fails returns whole, although a dispute was not debited for it",
    breaks: "what takes a payment back is debited",
    extent: { ...topUps, orders: 300 },
    edits: [
      {
        file: "src/wallet/refunds/GatewayRefundsRepo.ts",
        find: "least(c.amount, sum(k.claimed) - ${amount}::bigint)",
        replace: "(sum(k.held) - ${amount}::bigint)"
      },
      {
        file: "migrations/0069_outcomes_of_refunds.ts",
        find: "FOR EACH ROW WHEN (NEW.status = 'failed') EXECUTE FUNCTION payment_reversal_check()",
        replace: "FOR EACH ROW WHEN (false) EXECUTE FUNCTION payment_reversal_check()"
      }
    ]
  },
  {
    name: "share-kept",
    what: "a referrer keeps the share of a reversed payment",
    breaks: "a share of a payment is credited once",
    extent: { vendorShare: 0, orders: 40 },
    edits: [
      {
        file: "src/wallet/payments/PaymentReversals.ts",
        find: "yield* referrals.takeBack({ payment_method, charge_id: event.charge_id })",
        replace: "void referrals"
      }
    ]
  },
  {
    name: "credit-unbooked",
    what: "a credit by staff is on record, and not in the wallet",
    breaks: "money that staff moves has one record",
    extent: { vendorShare: 0, orders: 40 },
    edits: [
      {
        file: "src/wallet/adjustments/Adjustments.ts",
        find: "if (transaction_id !== null) yield* book(record, transaction_id)",
        replace: "void book"
      },
      {
        file: "migrations/0063_money_by_hand.ts",
        find: `),
      CONSTRAINT wallet_adjustment_booked FOREIGN KEY (transaction_id, user_id, currency, amount, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED`,
        replace: ")"
      },
      {
        file: "migrations/0063_money_by_hand.ts",
        find: "IF NOT EXISTS (SELECT FROM wallet_transaction WHERE id = NEW.transaction_id AND cause = NEW.cause) THEN",
        replace: "IF false THEN"
      }
    ]
  },
  {
    name: "withdrawal-kept",
    what: "the money of a declined withdrawal does not come back",
    breaks: "a withdrawal takes its money once, and returns it when it is declined",
    extent: { vendorShare: 0, orders: 120 },
    edits: [
      { file: "src/wallet/payouts/ReturnPayout.ts", find: "yield* wallets.credit({", replace: "void ({" },
      {
        file: "migrations/0075_payouts.ts",
        find: `,
      CONSTRAINT payout_returned FOREIGN KEY (return_id, user_id, currency, amount, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED`,
        replace: ""
      },
      { file: "migrations/0075_payouts.ts", find: "OR (NEW.return_id IS NOT NULL", replace: "OR (false" }
    ]
  },
  {
    name: "card-charged-again",
    what: "a charge of a saved card with an unknown outcome is made again, without its idempotency key",
    breaks: "a card is charged once for a payment",
    extent: topUps,
    edits: [
      {
        file: "src/wallet/payments/ChargeCard.ts",
        find: "gateway.find(intent, card).pipe(",
        replace: `Effect.map(gateway.charge(intent, card), (value) => ({ _tag: "Some", value })).pipe(`
      },
      {
        file: "src/wallet/gateways/StripeCards.ts",
        find: "{ idempotencyKey: intent.id }).then",
        replace: "{}).then"
      }
    ]
  },
  {
    name: "month-unlimited",
    what: "a saved card pays more than the limit of its month",
    breaks: "a card pays no more than the limit of its month",
    extent: topUps,
    edits: [
      {
        file: "src/wallet/auto-top-up/AutoTopUpOutcomes.ts",
        find: "used + amount > monthly_limit",
        replace: "used + amount < monthly_limit && false"
      },
      {
        file: "migrations/0053_auto_top_up.ts",
        find: "\n        OR auto_top_up_used(NEW.user_id, NEW.created_at) + NEW.amount > agreed.monthly_limit",
        replace: ""
      }
    ]
  },
  {
    name: "card-unwatched",
    what: "a charge of a saved card with an unknown outcome is not looked up",
    breaks: "nothing is in a passing state",
    extent: topUps,
    edits: [
      {
        file: "src/wallet/payments/CardPaymentLookUps.ts",
        find: "yield* lookUp(intent, card.value)",
        replace: "void lookUp"
      }
    ]
  }
]

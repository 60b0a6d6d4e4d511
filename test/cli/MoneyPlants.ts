import { randomUUID } from "node:crypto"
import { epoch, old, type Plant } from "./ReconcilePlants.ts"
import { reversal, stop } from "./ReversalPlants.ts"

interface Entry {
  readonly wallet: string
  readonly type: "deposit" | "withdrawal" | "refund"
  readonly amount: number
  readonly cause: string
  readonly id?: string
  readonly refunds?: { readonly payment: string; readonly order: string }
}

/** Books an entry by hand, with a chain that is right. */
export const booked = ({ amount, cause, id = randomUUID(), refunds, type, wallet }: Entry) =>
  `WITH w AS (UPDATE wallet SET balance = balance + ${amount}, seq = seq + 1 WHERE id = '${wallet}' RETURNING *)
   INSERT INTO wallet_transaction (id, user_id, wallet_id, amount, currency, transaction_type, status, description, reference,
     payment_method, cause, refunded_transaction_id, order_id, seq, balance_before, balance_after, created_at, updated_at)
   SELECT '${id}', user_id, id, ${amount}, currency, '${type}', 'completed', '', 'by hand: ${id}', 'wallet', '${cause}',
     ${refunds === undefined ? "NULL, NULL" : `'${refunds.payment}', '${refunds.order}'`}, seq, balance - ${amount}, balance,
     updated_at, updated_at FROM w`

const adjustment = (user: string, fields: Readonly<Record<string, string>> = {}) => {
  const all = {
    id: `'${randomUUID()}'`,
    user_id: `'${user}'`,
    currency: "'USD'",
    amount: "7",
    cause: "'goodwill'",
    reason_code: "'none'",
    reason: "'Forged'",
    status: "'booked'",
    is_over_limit: "false",
    transaction_id: `'${randomUUID()}'`,
    created_by: "'ada'",
    created_by_name: "'Ada'",
    created_by_role: "'support'",
    created_at: epoch,
    expires_at: epoch,
    decided_at: epoch,
    ...fields
  }
  return `INSERT INTO wallet_adjustment (${Object.keys(all).join(", ")}) VALUES (${Object.values(all).join(", ")})`
}

const gatewayRefund = (intent: string, fields: Readonly<Record<string, string>>) => {
  const all = {
    id: "gen_random_uuid()",
    order_refund_id: "gen_random_uuid()",
    withdrawal_id: "gen_random_uuid()",
    ...fields
  }
  return `INSERT INTO gateway_refund (payment_method, charge_id, user_id, currency, ${Object.keys(all).join(", ")})
    SELECT payment_method, charge_id, user_id, currency, ${Object.values(all).join(", ")} FROM payment_charge
    WHERE payment_intent_id = '${intent}'`
}

const payout = (user: string, fields: Readonly<Record<string, string>>) => {
  const all = {
    id: "gen_random_uuid()",
    user_id: `'${user}'`,
    currency: "'USD'",
    amount: "7",
    destination: "'Somewhere'",
    withdrawal_id: "gen_random_uuid()",
    created_at: epoch,
    ...fields
  }
  return `INSERT INTO payout (${Object.keys(all).join(", ")}) VALUES (${Object.values(all).join(", ")})`
}

const sent = { sent_at: epoch, created_at: epoch, updated_at: epoch }

/** Forged money of staff, each with the lines that `reconcile` prints. */
export const moneyPlants: ReadonlyArray<Plant> = [
  [
    "a credit by staff without a record",
    ({ wallet }) => [booked({ wallet, type: "deposit", amount: 7, cause: "goodwill" })],
    () => ["ledger\tdiffers\tentry \\S+\tis a goodwill of 7 USD \\(by hand: \\S+\\) without its record"]
  ],
  [
    "a debit by staff without a record",
    ({ wallet }) => [booked({ wallet, type: "withdrawal", amount: -7, cause: "correction" })],
    () => ["ledger\tdiffers\tentry \\S+\tis a correction of -7 USD \\(by hand: \\S+\\) without its record"]
  ],
  [
    "a booked credit without its entry",
    ({ user }) => [adjustment(user)],
    () => ["ledger\tdiffers\tadjustment \\S+\tby Ada is booked and moves 7 USD \\(goodwill\\); it has no entry"]
  ],
  [
    "a credit by staff whose record has another amount",
    ({ user, wallet }) => {
      const id = randomUUID()
      return [
        booked({ wallet, type: "deposit", amount: 8, cause: "goodwill", id }),
        adjustment(user, { transaction_id: `'${id}'` })
      ]
    },
    () => [
      "ledger\tdiffers\tentry \\S+\tis a goodwill of 8 USD \\(by hand: \\S+\\) without its record",
      "ledger\tdiffers\tadjustment \\S+\tby Ada is booked and moves 7 USD \\(goodwill\\); entry \\S+ is a goodwill of 8 USD"
    ]
  ],
  [
    "a credit that was taken back twice",
    ({ user }) => {
      const id = randomUUID()
      const back = { cause: "'goodwill_revoked'", amount: "-5", revokes: `'${id}'` }
      return [adjustment(user, { id: `'${id}'` }), adjustment(user, back), adjustment(user, back)]
    },
    () => [
      ...Array.from({ length: 3 }, () => "ledger\tdiffers\tadjustment \\S+\tby Ada is booked and moves"),
      "ledger\tdiffers\tadjustment \\S+\tgave 7 USD, and 10 of it are taken back"
    ]
  ],
  [
    "a payment that was returned beyond itself",
    ({ order, payment, wallet }) => [
      booked({ wallet, type: "refund", amount: 1_500_001, cause: "returned", refunds: { payment, order } })
    ],
    ({ payment }) => [
      "ledger\tdiffers\tentry \\S+\tis a returned of 1500001 USD \\(by hand: \\S+\\) without its record",
      `ledger\tdiffers\tentry ${payment}\tis a payment of 1500000 USD, and 1500001 of it are returned`
    ]
  ],
  [
    "a booked refund without its entries",
    ({ order, user }) => [
      `INSERT INTO order_refund (id, order_id, user_id, currency, amount, kind, destination, ends_service, reason_code, reason,
         computed, status, is_over_limit, created_by, created_by_name, created_by_role, created_at, expires_at, decided_at,
         release_at)
       VALUES (gen_random_uuid(), '${order}', '${user}', 'USD', 7, 'amount', 'wallet', true, 'none', 'Forged', '{}', 'booked',
         false, 'ada', 'Ada', 'support', ${epoch}, ${epoch}, ${old}, ${epoch})`
    ],
    ({ order }) => [
      `ledger\tdiffers\trefund \\S+\tof order ${order} by Ada is booked and returns 7 USD; its entries return 0`,
      `payments\tdiffers\trefund \\S+\tof order ${order} was to end its proxy at`
    ]
  ],
  [
    "a charge that was paid back beyond itself",
    ({ intent }) => [gatewayRefund(intent, { amount: "25000001", status: "'succeeded'", ...sent })],
    ({ intent, user }) => [
      `payments\tdiffers\tcharge charge_${intent} of card_gateway\t25000000 USD of it are taken back, and 25000001 are debited of account ${user}`,
      `payments\tdiffers\tgateway refund \\S+\tof charge charge_${intent} is succeeded and pays 25000001 USD back; it took 0 from`,
      `payments\tdiffers\tcharge charge_${intent} of card_gateway\tbrought 25000000 USD, and 25000001 are paid back`
    ]
  ],
  [
    "a failed refund to a card whose money did not come back",
    ({ intent }) => [gatewayRefund(intent, { amount: "7", status: "'failed'", ...sent })],
    ({ intent, user }) => [
      `payments\tdiffers\tcharge charge_${intent} of card_gateway\t0 USD of it are taken back, and 7 are debited of account ${user}`,
      `payments\tdiffers\tgateway refund \\S+\tof charge charge_${intent} is failed and pays 7 USD back; it took 0 from`
    ]
  ],
  [
    "a failed refund to a card whose money came back although a dispute claims it",
    ({ intent, user, wallet }) => {
      const [withdrawal_id, return_id] = [randomUUID(), randomUUID()]
      const ids = { withdrawal_id: `'${withdrawal_id}'`, return_id: `'${return_id}'` }
      return [
        booked({ wallet, type: "withdrawal", amount: -7, cause: "gateway_refund", id: withdrawal_id }),
        booked({ wallet, type: "deposit", amount: 7, cause: "payout_returned", id: return_id }),
        gatewayRefund(intent, { amount: "7", given_back: "7", status: "'failed'", ...ids, ...sent }),
        reversal(intent, { amount: "7" }),
        stop(user)
      ]
    },
    ({ intent, user }) => [
      `payments\tdiffers\tcharge charge_${intent} of card_gateway\t7 USD of it are taken back, and the wallet of account ${user} had 0 of that`
    ]
  ],
  [
    "money that left for no withdrawal",
    ({ wallet }) => [booked({ wallet, type: "withdrawal", amount: -7, cause: "payout" })],
    () => ["ledger\tdiffers\tentry \\S+\tis a payout of -7 USD \\(by hand: \\S+\\) without its record"]
  ],
  [
    "money that came back from no withdrawal",
    ({ wallet }) => [booked({ wallet, type: "deposit", amount: 7, cause: "payout_declined" })],
    () => ["ledger\tdiffers\tentry \\S+\tis a payout_declined of 7 USD \\(by hand: \\S+\\) without its record"]
  ],
  [
    "a withdrawal whose money never left the wallet",
    ({ user }) => [payout(user, { status: "'requested'" })],
    () => ["ledger\tdiffers\tpayout \\S+\tis requested and pays 7 USD out; it took 0 from the wallet and returned 0"]
  ],
  [
    "a declined withdrawal whose money did not come back",
    ({ user, wallet }) => {
      const withdrawal_id = randomUUID()
      return [
        booked({ wallet, type: "withdrawal", amount: -7, cause: "payout", id: withdrawal_id }),
        payout(user, {
          status: "'declined'",
          withdrawal_id: `'${withdrawal_id}'`,
          return_id: "gen_random_uuid()",
          settled_by: "'ada'",
          settled_by_name: "'Ada'",
          settled_at: epoch
        })
      ]
    },
    () => ["ledger\tdiffers\tpayout \\S+\tis declined and pays 7 USD out; it took 7 from the wallet and returned 0"]
  ],
  [
    "a refund that no job sends, and requests that no job ends",
    ({ intent, user }) => [
      gatewayRefund(intent, { amount: "10000", status: "'booked'", look_at: old, created_at: old, updated_at: old }),
      adjustment(user, { status: "'requested'", transaction_id: "NULL", decided_at: "NULL", expires_at: old })
    ],
    () => [
      "payments\tdiffers\tgateway refund \\S+\tof charge \\S+ is booked and pays 10000 USD back; it took 0 from",
      "payments\tdiffers\tgateway refund \\S+\tof charge \\S+ is booked since",
      "payments\tdiffers\tadjustment \\S+\tis requested, and expired at"
    ]
  ]
]

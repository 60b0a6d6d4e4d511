import { randomUUID } from "node:crypto"
import { epoch, future, type Plant } from "./ReconcilePlants.ts"

/** Inserts a reversal of a payment's charge, under its own id. */
export const reversal = (intent: string, columns: Readonly<Record<string, string>>) => {
  const all = { status: "'taken'", amount: "0", debited: "0", debit_id: "NULL", lifted_at: "NULL", ...columns }
  return `INSERT INTO payment_reversal (payment_method, reversal_id, charge_id, user_id, currency, kind, created_at,
     updated_at, ${Object.keys(all).join(", ")})
   SELECT payment_method, 're_' || charge_id, charge_id, user_id, currency, 'refund', ${epoch}, ${epoch},
     ${Object.values(all).join(", ")} FROM payment_charge WHERE payment_intent_id = '${intent}'`
}

export const stop = (user: string) => `UPDATE wallet SET purchases_stopped = true WHERE user_id = '${user}'`

/** Forged refunds and disputes, each with the line that `reconcile` prints. */
export const reversalPlants: ReadonlyArray<Plant> = [
  [
    "a withdrawal without a reversal",
    ({ wallet }) => [
      `WITH w AS (UPDATE wallet SET balance = balance - 7, seq = seq + 1 WHERE id = '${wallet}' RETURNING *)
       INSERT INTO wallet_transaction (id, user_id, wallet_id, amount, currency, transaction_type, status, description,
         reference, payment_method, seq, balance_before, balance_after, created_at, updated_at)
       SELECT gen_random_uuid(), user_id, id, -7, currency, 'withdrawal', 'completed', '', 'by hand of ' || id, 'wallet', seq,
         balance + 7, balance, updated_at, updated_at FROM w`
    ],
    ({ wallet }) => [
      `payments\tdiffers\tentry \\S+\ttakes 7 USD \\(by hand of ${wallet}\\) that belongs to no reversal`
    ]
  ],
  [
    "a refund without its entry",
    ({ intent, user }) => [reversal(intent, { amount: "7", debited: "7", debit_id: `'${randomUUID()}'` }), stop(user)],
    ({ intent }) => [
      `payments\tdiffers\trefund re_charge_${intent} of card_gateway\tdebited 7 USD, and entry \\S+ is missing`
    ]
  ],
  [
    "a refund of more than the payment",
    ({ intent }) => [reversal(intent, { amount: "25000001", lifted_at: epoch })],
    ({ intent }) => [
      `payments\tdiffers\trefund re_charge_${intent} of card_gateway\ttook 25000001 USD of charge charge_${intent} back, more than its 25000000`
    ]
  ],
  [
    "a refund that exceeded the balance",
    ({ intent, user }) => [reversal(intent, { amount: "7" }), stop(user)],
    ({ intent, user }) => [
      `payments\tdiffers\tcharge charge_${intent} of card_gateway\t7 USD of it are taken back, and the wallet of account ${user} had 0 of that`
    ]
  ],
  [
    "a failed refund whose money did not come back",
    ({ intent }) => [
      reversal(intent, { status: "'returned'", amount: "7", debited: "7", debit_id: `'${randomUUID()}'` })
    ],
    ({ intent, user }) => [
      `payments\tdiffers\trefund re_charge_${intent} of card_gateway\tdebited 7 USD, and entry \\S+ is missing`,
      `payments\tdiffers\tcharge charge_${intent} of card_gateway\t0 USD of it are taken back, and 7 are debited of account ${user} and not given back`
    ]
  ],
  [
    "a referral share of a payment that went back",
    ({ intent }) => [
      reversal(intent, { amount: "7", lifted_at: epoch }),
      `INSERT INTO referral_share (payment_method, charge_id, referrer_id, referred_id, currency, amount, status, due_at,
         created_at, updated_at)
       SELECT payment_method, charge_id, gen_random_uuid(), user_id, currency, 7, 'held', ${future}, ${epoch}, ${epoch}
       FROM payment_charge WHERE payment_intent_id = '${intent}'`
    ],
    ({ intent }) => [
      `payments\tdiffers\treferral share of charge charge_${intent}\tis held, and the charge was taken back by a reversal`
    ]
  ],
  [
    "a referral share that did not come back with its payment",
    ({ intent }) => [
      `INSERT INTO referral_share (payment_method, charge_id, referrer_id, referred_id, currency, amount, status, reason,
         due_at, created_at, updated_at)
       SELECT payment_method, charge_id, gen_random_uuid(), user_id, currency, 7, 'taken_back', 'reversed', ${future},
         ${epoch}, ${epoch} FROM payment_charge WHERE payment_intent_id = '${intent}'`
    ],
    ({ intent }) => [
      `payments\tdiffers\treferral share of charge charge_${intent}\tis taken back, and nothing takes the charge back`
    ]
  ],
  [
    "an account that is stopped without a reversal",
    ({ wallet }) => [`UPDATE wallet SET purchases_stopped = true WHERE id = '${wallet}'`],
    ({ wallet }) => [
      `payments\tdiffers\twallet ${wallet}\tits purchases are stopped, and by the reversals on record they are free`
    ]
  ],
  [
    "an account that is not stopped in spite of a dispute",
    ({ intent, wallet }) => [
      reversal(intent, { status: "'announced'" }),
      `UPDATE wallet SET purchases_stopped = id <> '${wallet}' WHERE user_id = (SELECT user_id FROM wallet WHERE id = '${wallet}')`
    ],
    ({ wallet }) => [
      `payments\tdiffers\twallet ${wallet}\tits purchases are free, and by the reversals on record they are stopped`
    ]
  ]
]

import { randomUUID } from "node:crypto"
import { booked } from "./MoneyPlants.ts"
import { epoch, type Plant } from "./ReconcilePlants.ts"
import type { Customer } from "./ReconcileTesting.ts"

interface Forged {
  readonly minutes: number
  readonly amount: number
  readonly down: number
  readonly entry?: string
}

/** An outage, and a claim that may not follow from it. */
const claim = ({ order, payment }: Customer, { amount, down, entry, minutes }: Forged) => {
  const outage = randomUUID()
  return [
    `INSERT INTO proxy_outage (id, order_id, from_at, to_at, ended_by, error, settled, created_at)
     VALUES ('${outage}', '${order}', ${epoch}, ${epoch} + interval '${minutes} minutes', 'works', 'timeout', true, ${epoch})`,
    `INSERT INTO warranty_claim (id, outage_id, order_id, user_id, payment_id, currency, paid, down_seconds, period_seconds,
       amount, transaction_id, created_at)
     SELECT gen_random_uuid(), '${outage}', '${order}', user_id, id, currency, -amount, ${down}, 2592000, ${amount},
       ${entry === undefined ? "gen_random_uuid()" : `'${entry}'`}, ${epoch} FROM wallet_transaction WHERE id = '${payment}'`
  ]
}

/** Forged credits for outages, each with the lines that `reconcile` prints. */
export const warrantyPlants: ReadonlyArray<Plant> = [
  [
    "a credit for an outage that nobody claimed",
    ({ wallet }) => [booked({ wallet, type: "deposit", amount: 7, cause: "warranty" })],
    () => ["ledger\tdiffers\tentry \\S+\tis a warranty of 7 USD \\(by hand: \\S+\\) without its record"]
  ],
  [
    "a claim that was never credited",
    (customer) => claim(customer, { minutes: 20, down: 1_200, amount: 694 }),
    ({ order }) => [
      `ledger\tdiffers\tclaim \\S+ of order ${order}\tcredits 694 USD of 1500000 for 1200 of 2592000 seconds; it has no entry`
    ]
  ],
  [
    "a claim for more time than its outage took",
    (customer) => {
      const entry = randomUUID()
      const { wallet } = customer
      return [
        booked({ id: entry, wallet, type: "deposit", amount: 694, cause: "warranty" }),
        ...claim(customer, { minutes: 16, down: 1_200, amount: 694, entry })
      ]
    },
    ({ order }) => [`ledger\tdiffers\tclaim \\S+ of order ${order}\t.*; its outage was shorter`]
  ],
  [
    "a claim for an outage that is too short",
    (customer) => {
      const entry = randomUUID()
      const { wallet } = customer
      return [
        booked({ id: entry, wallet, type: "deposit", amount: 6, cause: "warranty" }),
        ...claim(customer, { minutes: 5, down: 12, amount: 6, entry })
      ]
    },
    ({ order }) => [`ledger\tdiffers\tclaim \\S+ of order ${order}\t.*; its outage was too short for a credit`]
  ]
]

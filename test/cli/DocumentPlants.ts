import { epoch, type Plant } from "./ReconcilePlants.ts"

/** Issues the invoice of a payment by hand, with a body that fits. */
const issued = (entry: string, position: number, change: Readonly<Record<string, string>> = {}) => {
  const line = { type: "deposit", description: "x", quantity: 1, unit_price: "25000000", amount: "25000000" }
  const all = {
    kind: "'invoice'",
    transaction_id: "transaction_id",
    user_id: "user_id",
    is_sandbox: "false",
    year: "1999",
    position: String(position),
    number: `'1999-00000${position}'`,
    issued_at: epoch,
    currency: "currency",
    total: "amount",
    net: "amount",
    tax: "0",
    body: `'${JSON.stringify({ lines: [line] })}'::jsonb`,
    sha256: "repeat('0', 64)",
    ...change
  }
  return [
    `INSERT INTO invoice (${Object.keys(all).join(", ")}) SELECT ${Object.values(all).join(", ")} FROM payment_charge
     WHERE transaction_id = '${entry}'`,
    `UPDATE invoice i SET body = invoice_body(i), sha256 = invoice_hash(invoice_body(i)) WHERE transaction_id = '${entry}'`
  ]
}

const counted = (year: number, last: number) =>
  `INSERT INTO invoice_counter (kind, is_sandbox, year, last_position, last_issued_at)
   VALUES ('invoice', false, ${year}, ${last}, ${epoch})`

const inYear = (year: number, position = 1) => ({
  year: String(year),
  number: `'${year}-00000${position}'`
})

/** Forged documents, each with the lines that `reconcile` prints. */
export const documentPlants: ReadonlyArray<Plant> = [
  [
    "a gap in the numbers of invoices",
    ({ entry }) => [...issued(entry, 2), counted(1999, 2)],
    () => ["payments\tdiffers\tdocument 1999-000002\tis number 2 of its series; the one before is number 0"]
  ],
  [
    "an invoice that the counter does not know",
    ({ entry }) => issued(entry, 1, inYear(1998)),
    () => ["payments\tdiffers\tseries of invoice 1998\tcounts 0, and its last document is number 1"]
  ],
  [
    "an invoice whose body was changed",
    ({ entry }) => [
      ...issued(entry, 1, inYear(1997)),
      counted(1997, 1),
      `UPDATE invoice SET body = body || '{"buyer": {"name": "Another"}}' WHERE transaction_id = '${entry}'`
    ],
    () => ["payments\tdiffers\tdocument 1997-000001\tits body differs from its hash or from its row"]
  ],
  [
    "an invoice whose hash was changed with its body",
    ({ entry }) => [
      ...issued(entry, 1, inYear(1996)),
      counted(1996, 1),
      `UPDATE invoice SET body = body || '{"total": "7"}', sha256 = invoice_hash(body || '{"total": "7"}')
       WHERE transaction_id = '${entry}'`
    ],
    () => ["payments\tdiffers\tdocument 1996-000001\tits body differs from its hash or from its row"]
  ],
  [
    "an invoice with other lines than its total",
    ({ entry }) => [
      ...issued(entry, 1, { ...inYear(1995), body: `'{"lines": [{"amount": "7"}]}'::jsonb` }),
      counted(1995, 1)
    ],
    () => ["payments\tdiffers\tdocument 1995-000001\tis 25000000 USD: 25000000 net and 0 tax; its lines are 7"]
  ],
  [
    "an invoice with another total than its payment",
    ({ entry }) => [
      ...issued(entry, 1, {
        ...inYear(1994),
        total: "7",
        net: "7",
        body: `'{"lines": [{"amount": "7"}]}'::jsonb`
      }),
      counted(1994, 1)
    ],
    ({ user }) => [
      `payments\tdiffers\tdocument 1994-000001\tis 7 USD for account ${user}; its payment is 25000000 USD of account ${user}`
    ]
  ],
  [
    "an invoice with another tax than its rate gives",
    ({ entry }) => {
      const line = { type: "deposit", description: "x", quantity: 1, unit_price: "25000000", amount: "25000000" }
      const body = `'${JSON.stringify({ lines: [line], tax: { rate_bp: 1900 } })}'::jsonb`
      return [...issued(entry, 1, { ...inYear(1992), net: "amount - 3980000", tax: "3980000", body }), counted(1992, 1)]
    },
    () => [
      "payments\tdiffers\tdocument 1992-000001\tis 25000000 USD with 3980000 tax; its rate of 1900 basis points gives 3990000"
    ]
  ],
  [
    "a sandbox invoice of real money",
    ({ entry }) => [
      ...issued(entry, 1, { ...inYear(1991), is_sandbox: "true", number: "'TEST-1991-000001'" }),
      `INSERT INTO invoice_counter (kind, is_sandbox, year, last_position, last_issued_at)
       VALUES ('invoice', true, 1991, 1, ${epoch})`
    ],
    ({ user }) => [
      `payments\tdiffers\tdocument TEST-1991-000001\tis sandbox 25000000 USD for account ${user}; its payment is 25000000 USD of account ${user}`
    ]
  ],
  [
    "a credit note over money that did not go back",
    ({ entry, user }) => [
      ...issued(entry, 1, { ...inYear(1993), issued_at: `${epoch} - interval '2 hours'` }),
      counted(1993, 1),
      `INSERT INTO invoice (kind, corrects, cause, transaction_id, user_id, is_sandbox, year, position, number, issued_at,
         currency, total, net, tax, body, sha256)
       VALUES ('credit_note', '1993-000001', 'refund', '${entry}', '${user}', false, 1993, 1, 'CN-1993-000001', ${epoch},
         'USD', 7, 7, 0, '{"lines": [{"amount": "7"}]}', repeat('0', 64))`,
      `INSERT INTO invoice_counter (kind, is_sandbox, year, last_position, last_issued_at)
       VALUES ('credit_note', false, 1993, 1, ${epoch})`,
      `UPDATE invoice i SET body = invoice_body(i), sha256 = invoice_hash(invoice_body(i)) WHERE number = 'CN-1993-000001'`
    ],
    () => ["payments\tdiffers\tdocument 1993-000001\thas credit notes over 7 USD, and 0 went back"]
  ],
  [
    "a payment without a document",
    ({ entry }) => [
      `UPDATE payment_charge SET created_at = created_at - interval '2 hours' WHERE transaction_id = '${entry}'`
    ],
    ({ intent }) => [
      `payments\tdiffers\tcharge charge_${intent} of card_gateway\tcame in at \\S+ \\S+ and has no document`
    ]
  ]
]

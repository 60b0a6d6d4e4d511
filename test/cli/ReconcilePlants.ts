import { randomUUID } from "node:crypto"
import type { Customer } from "./ReconcileTesting.ts"

/** Copies an order under another id, with these columns changed. */
export const copyOf = (order: string, id: string, columns: string) =>
  `INSERT INTO proxy_order SELECT r.* FROM proxy_order o, jsonb_populate_record(o, jsonb_build_object('id', '${id}') || ${columns}) r
   WHERE o.id = '${order}'`

export const noProxy = `'{"provider_proxy_id": null, "host": null, "port": null, "username": null, "password": null,
  "cycle_started_at": null, "expiring_at": null, "expires_at": null, "proxy_status": "pending"}'::jsonb`

const change = (order: string, columns: string) =>
  `INSERT INTO proxy_change (id, order_id, kind, origin, currency, total, total_usd, period_days, period_months,
     previous_expires_at, expires_at, status, settle_at, created_at, updated_at)
   SELECT gen_random_uuid(), id, 'append', 'request', 'USD', 5, 5, 30, 1, expires_at, expires_at + interval '1 day',
     ${columns} FROM proxy_order WHERE id = '${order}'`

const ipCheck = (user: string, columns: string) =>
  `INSERT INTO ip_check (id, user_id, ip, status, is_free, amount, settle_at, created_at)
   VALUES (gen_random_uuid(), '${user}', host('10.0.0.0'::inet + (random() * 1e6)::int), ${columns})`

export const gatewayProxy = (id: string, reference: string, columns: string) =>
  `INSERT INTO gateway_proxy (id, reference, kind, country_code, ip_version, protocol, port, logins, status, expires_at,
     created_at, updated_at)
   VALUES ('${id}', '${reference}', 'datacenter', 'US', 'IPv4', 'HTTP', (random() * 60000)::int + 1,
     '[{"username": "u", "password": "p"}]', ${columns})`

/** The same with the record of its exit address, which a trigger writes elsewhere. */
export const recordedProxy = (...proxy: Parameters<typeof gatewayProxy>) => [
  gatewayProxy(...proxy),
  `INSERT INTO gateway_exit_hold (proxy_id, port, from_at, until_at)
   SELECT id, port, created_at, CASE status WHEN 'closed' THEN greatest(created_at, updated_at) END
   FROM gateway_proxy WHERE id = '${proxy[0]}'`
]

/** Two pools, and an article of one of them. */
const shop = [
  `INSERT INTO exit_pool (name, kind, country_code, uses_machine)
   VALUES ('us-dc', 'datacenter', 'US', true), ('de-dc', 'datacenter', 'DE', false)`,
  `INSERT INTO exit_address (ip, pool, state) VALUES ('203.0.113.7', 'de-dc', 'on')`,
  `INSERT INTO gateway_article (id, position, pool, kind, country_code, mode, ip_version, name, locations, protocols,
     options, price_per_gb, state)
   VALUES ('us-dc', 0, 'us-dc', 'datacenter', 'US', 'static', 'IPv4', 'x', '[]', '["HTTP"]', '[{}]', '{}', 'on')`
]

/** Makes an order one of the built-in gateway, with a proxy that differs in these columns. */
export const sold = (order: string, columns: string) => {
  const id = randomUUID()
  return [
    `UPDATE proxy_order SET provider = 'gateway', provider_proxy_id = '${id}' WHERE id = '${order}'`,
    ...recordedProxy(id, order, `'open', ${future}, ${epoch}, ${epoch}`),
    `UPDATE gateway_proxy SET ${columns} WHERE id = '${id}'`,
    `UPDATE gateway_exit_hold h SET exit_ip = g.exit_ip FROM gateway_proxy g WHERE g.id = h.proxy_id AND g.id = '${id}'`
  ]
}

export const epoch = "timestamptz '1970-01-01 00:00Z'"
export const old = `${epoch} - interval '30 days'`
export const future = `${epoch} + interval '20 days'`

/** A forged difference: its name, its statements, and a pattern for each line that `reconcile` adds. */
export type Plant = readonly [
  string,
  (customer: Customer) => ReadonlyArray<string>,
  (customer: Customer) => ReadonlyArray<string>
]

export const plants: ReadonlyArray<Plant> = [
  [
    "a balance that is not the sum of its entries",
    ({ wallet }) => [`UPDATE wallet SET balance = balance + 7 WHERE id = '${wallet}'`],
    ({ wallet }) => [
      `ledger\tdiffers\twallet ${wallet}\tits balance is 23500007 USD after 2 entries; it has 2, the last is number 2, and they add up to 23500000`
    ]
  ],
  [
    "sandbox money without an entry that marks it",
    ({ wallet }) => [`UPDATE wallet SET sandbox_balance = 7 WHERE id = '${wallet}'`],
    ({ wallet }) => [
      `ledger\tdiffers\twallet ${wallet}\t7 of its 23500000 USD are marked as sandbox money; by its entries it is 0`
    ]
  ],
  [
    "a gap in the numbers of the entries",
    ({ payment, wallet }) => [
      `UPDATE wallet_transaction SET seq = 3 WHERE id = '${payment}'`,
      `UPDATE wallet SET seq = 3 WHERE id = '${wallet}'`
    ],
    ({ payment, wallet }) => [
      `ledger\tdiffers\twallet ${wallet}\tits balance is 23500000 USD after 3 entries; it has 2,`,
      `ledger\tdiffers\tentry ${payment}\tis number 3 and goes from 25000000 by -1500000 to 23500000; the one before is number 1 and ends at 25000000`
    ]
  ],
  [
    "a running balance that jumps",
    ({ payment }) => [
      `UPDATE wallet_transaction SET balance_before = balance_before + 7, balance_after = balance_after + 7 WHERE id = '${payment}'`
    ],
    ({ payment }) => [
      `ledger\tdiffers\tentry ${payment}\tis number 2 and goes from 25000007 by -1500000 to 23500007; the one before is number 1 and ends at 25000000`
    ]
  ],
  [
    "an order without a payment",
    ({ order }) => [copyOf(order, randomUUID(), `${noProxy} || '{"status": "paid"}'`)],
    () => ["ledger\tdiffers\torder \\S+\tis paid and costs 1500000 USD; it has no payment"]
  ],
  [
    "a payment for nothing on record",
    ({ payment }) => [`UPDATE wallet_transaction SET reference = 'nothing' WHERE id = '${payment}'`],
    ({ order, payment }) => [
      `ledger\tdiffers\tentry ${payment}\ttakes 1500000 USD for nothing, which is not on record`,
      `ledger\tdiffers\tentry ${payment}\thas a term of order ${order}, and nothing was delivered for it`,
      `ledger\tdiffers\torder ${order}\tis provisioned and costs 1500000 USD; it has no payment`
    ]
  ],
  [
    "a payment of another amount",
    ({ order }) => [`UPDATE proxy_order SET total = total + 1 WHERE id = '${order}'`],
    ({ order, payment }) => [
      `ledger\tdiffers\torder ${order}\tcosts 1500001 USD, and entry ${payment} \\(completed\\) takes 1500000 USD`
    ]
  ],
  [
    "a failed order without a refund",
    ({ order }) => [`UPDATE proxy_order SET status = 'refunded', proxy_status = 'cancelled' WHERE id = '${order}'`],
    ({ order, payment }) => [`ledger\tdiffers\torder ${order}\tis refunded, and entry ${payment} was not refunded`]
  ],
  [
    "a proxy change without a payment",
    ({ order }) => [change(order, `'pending', ${epoch}, ${epoch}, ${epoch}`)],
    ({ order }) => [`ledger\tdiffers\tchange \\S+ of order ${order}\tis pending and costs 5 USD; it has no payment`]
  ],
  [
    "a proxy change that is pending for too long",
    ({ order }) => [change(order, `'pending', ${old}, ${old}, ${old}`)],
    ({ order }) => [
      `ledger\tdiffers\tchange \\S+ of order ${order}\tis pending and costs 5 USD`,
      `orders\tdiffers\tchange \\S+ of order ${order}\tis pending since`
    ]
  ],
  [
    "an IP check without a payment that is pending for too long",
    ({ user }) => [ipCheck(user, `'pending', false, 50000, ${old}, ${old}`)],
    () => [
      "ledger\tdiffers\tIP check \\S+\tis pending and costs 50000 USD; it has no payment",
      "orders\tdiffers\tIP check \\S+\tis pending since"
    ]
  ],
  [
    "an order of a deleted account that is live after an hour",
    ({ user }) => [
      `UPDATE user_account SET email = NULL, signup_address = NULL, deleted_at = ${epoch} - interval '61 minutes' WHERE id = '${user}'`,
      `INSERT INTO account_closure (user_id, due_at) VALUES ('${user}', ${epoch})`
    ],
    ({ user }) => [`orders\tdiffers\taccount ${user}\twas deleted at .*, and 1 of its orders have not ended`]
  ],
  [
    "old orders without a proxy, one paid and one new",
    ({ order }) => [
      copyOf(
        order,
        randomUUID(),
        `${noProxy} || '{"status": "paid", "total": 0, "updated_at": "1969-12-01T00:00:00Z"}'`
      ),
      copyOf(order, randomUUID(), `${noProxy} || '{"status": "new", "updated_at": "1969-12-01T00:00:00Z"}'`)
    ],
    () => [
      "orders\tdiffers\torder \\S+\tis paid \\(proxy pending\\) since 1969-12-01",
      "orders\tdiffers\torder \\S+\tis new \\(proxy pending\\) since 1969-12-01"
    ]
  ],
  [
    "a proxy that should have expired",
    ({ order }) => [
      `UPDATE proxy_order SET cycle_started_at = ${old}, expiring_at = ${old}, expires_at = ${old} WHERE id = '${order}'`
    ],
    ({ order }) => [`orders\tdiffers\torder ${order}\tits proxy is active, is due to expire since`]
  ],
  [
    "an order whose proxy the built-in gateway does not know",
    ({ order }) => [
      `UPDATE proxy_order SET provider = 'gateway', provider_proxy_id = '${randomUUID()}' WHERE id = '${order}'`
    ],
    ({ order }) => [`orders\tdiffers\torder ${order}\tits proxy \\S+ is unknown to the gateway`]
  ],
  [
    "an order whose proxy the built-in gateway has closed",
    ({ order }) => {
      const id = randomUUID()
      return [
        `UPDATE proxy_order SET provider = 'gateway', provider_proxy_id = '${id}' WHERE id = '${order}'`,
        ...recordedProxy(id, order, `'closed', ${future}, ${epoch}, ${epoch}`)
      ]
    },
    ({ order }) => [
      `orders\tdiffers\torder ${order}\tlives until \\S+ \\S+ and its proxy \\S+ at the gateway is closed`
    ]
  ],
  [
    "open proxies of the built-in gateway that no order has",
    ({ order }) => [
      ...recordedProxy(randomUUID(), randomUUID(), `'open', ${future}, ${epoch}, ${epoch}`),
      ...recordedProxy(randomUUID(), order, `'open', ${future}, ${epoch}, ${epoch}`),
      `UPDATE proxy_order SET updated_at = ${old} WHERE id = '${order}'`
    ],
    ({ order }) => [
      "orders\tdiffers\tgateway proxy \\S+\truns until \\S+ \\S+ for order \\S+, which does not exist",
      `orders\tdiffers\tgateway proxy \\S+\truns until \\S+ \\S+ for order ${order}, which is provisioned and has proxy memory`
    ]
  ],
  [
    "an order whose proxy at the built-in gateway has another country",
    ({ order }) => sold(order, "country_code = 'DE'"),
    ({ order }) => [
      `orders\tdiffers\torder ${order}\tis for datacenter IPv4 US \\(dc-us\\) with unlimited GB; its proxy \\S+ is datacenter IPv4 DE`
    ]
  ],
  [
    "an order whose proxy at the built-in gateway has less traffic",
    ({ order }) => sold(order, "limit_bytes = 5000000000"),
    ({ order }) => [`orders\tdiffers\torder ${order}\tis for .* with unlimited GB; its proxy \\S+ is .* with 5 GB`]
  ],
  [
    "an order whose proxy was sold as another article",
    ({ order }) => [...shop, ...sold(order, "article = 'us-dc', pool = 'us-dc'")],
    ({ order }) => [`orders\tdiffers\torder ${order}\tis for .*\\(dc-us\\).*; its proxy \\S+ is .*\\(us-dc\\)`]
  ],
  [
    "a proxy on an address of another pool",
    ({ order }) => [
      ...sold(order, "article = 'us-dc', pool = 'us-dc', exit_ip = '203.0.113.7'"),
      `UPDATE proxy_order SET external_id = 'us-dc' WHERE id = '${order}'`
    ],
    () => [
      `orders\tdiffers\tgateway proxy \\S+\tis datacenter IPv4 US from 203.0.113.7, which is of the pool de-dc; article us-dc`
    ]
  ],
  [
    "a proxy from a pool of another country than its own",
    ({ order }) => [
      ...sold(order, "article = 'us-dc', pool = 'de-dc'"),
      `UPDATE proxy_order SET external_id = 'us-dc' WHERE id = '${order}'`
    ],
    () => [
      `orders\tdiffers\tgateway proxy \\S+\tis datacenter IPv4 US from the machine, .* and its pool de-dc is datacenter DE`
    ]
  ],
  [
    "an order with another proxy than at its provider",
    ({ order }) => [`UPDATE proxy_order SET provider_proxy_id = 'gone-' || id WHERE id = '${order}'`],
    ({ order }) => [`orders\tdiffers\torder ${order}\tis live; memory does not know its proxy gone-${order}`]
  ],
  [
    "a proxy at a vendor whose order is cancelled",
    ({ order }) => [
      `INSERT INTO provider_purchase (provider, reference, article, period_days, protocol, mark, requested_at,
         vendor_order_id, delivered_at)
       SELECT 'memory', id, 'dc', 30, 'HTTP', '', ${old}, provider_proxy_id, ${old} FROM proxy_order WHERE id = '${order}'`,
      `UPDATE proxy_order SET status = 'cancelled', proxy_status = 'cancelled', provider_proxy_id = 'x' || id, updated_at = ${old}
       WHERE id = '${order}'`
    ],
    ({ order }) => [`orders\tdiffers\tproxy memory-\\d+ of memory\truns until \\S+; it was bought for order ${order}`]
  ],
  [
    "a provider that PROVIDERS does not name",
    ({ order }) => [`UPDATE proxy_order SET provider = 'off' WHERE id = '${order}'`],
    () => ["orders\tnot checked\toff, live proxies: 1\tPROVIDERS does not name it"]
  ],
  [
    "a charge that was credited as another amount",
    ({ intent }) => [`UPDATE payment_charge SET amount = amount + 1 WHERE payment_intent_id = '${intent}'`],
    ({ entry, intent }) => [
      `payments\tdiffers\tcharge charge_${intent} of card_gateway\tbrought 25000001 USD, and entry ${entry} is a completed deposit of 25000000 USD`,
      `payments\tdiffers\tpayment ${intent} \\S+ \\S+\tcharge charge_${intent} brought 25000000 USD; 25000001 USD were credited`
    ]
  ],
  [
    "a charge without its entry",
    ({ entry, intent }) => [
      `UPDATE payment_charge SET transaction_id = '${randomUUID()}' WHERE payment_intent_id = '${intent}'`,
      `UPDATE wallet_transaction SET reference = 'deposit:' || id WHERE id = '${entry}'`
    ],
    ({ entry, intent }) => [
      `payments\tdiffers\tcharge charge_${intent} of card_gateway\tbrought 25000000 USD, and entry \\S+ is missing`,
      `payments\tdiffers\tentry ${entry}\tcredits 25000000 USD \\(deposit:${entry}\\) that no charge brought`,
      `payments\tdiffers\tpayment ${intent}\tis paid, its entry ${entry} is completed, and its charge is none`
    ]
  ],
  [
    "an event of the audit log without a link",
    () => [
      `INSERT INTO audit_event (id, occurred_at, actor_kind, actor_name, action, outcome, subject_kind, subject_id)
       VALUES ('00000000-0000-7000-8000-000000000009', ${epoch}, 'system', 'system', 'staff.change', 'done', 'staff', 'x')`
    ],
    () => ["audit\tdiffers\tplace 00000000-0000-7000-8000-000000000009\tit has no link"]
  ],
  [
    "a failed payment that is credited",
    ({ intent }) => [`UPDATE payment_intent SET status = 'failed' WHERE id = '${intent}'`],
    ({ entry, intent }) => [`payments\tdiffers\tpayment ${intent}\tis failed, its entry ${entry} is completed`]
  ]
]

import { epoch, future, old, type Plant, sold } from "./ReconcilePlants.ts"

const given = (order: string, kind: "append" | "replace") =>
  `INSERT INTO proxy_change (id, order_id, kind, origin, given_by, given_by_id, given_value_usd, given_reason, currency, total, total_usd, period_days,
     period_months, previous_expires_at, expires_at, status, attempted_at, settle_at, created_at, updated_at)
   SELECT gen_random_uuid(), id, '${kind}', 'staff', 'nobody', 'nobody', 0, 'A gift', 'USD', 0, 0, ${kind === "append" ? 3 : 0}, 0,
     expires_at, expires_at ${kind === "append" ? "+ interval '3 days'" : ""}, 'applied', ${epoch}, ${epoch}, ${epoch}, ${epoch}
   FROM proxy_order WHERE id = '${order}'`

/** Forged records of what staff did for orders, each with the lines that `reconcile` prints. */
export const givenPlants: ReadonlyArray<Plant> = [
  [
    "time that nobody is on record for",
    ({ order }) => [given(order, "append")],
    ({ order }) => [
      `ledger\tdiffers\tchange \\S+\tgave time to order ${order}; its term is missing`,
      `orders\tdiffers\tchange \\S+ of order ${order}\tgives 3 days at no charge \\(append, by nobody\\); the audit log does not know it`
    ]
  ],
  [
    "a proxy that staff ended and that runs on",
    ({ order }) => [`INSERT INTO order_release (order_id, created_at, try_at) VALUES ('${order}', ${old}, ${future})`],
    ({ order }) => [`orders\tdiffers\torder ${order}\twas to be released at`]
  ],
  [
    "a replacement after which the proxy has its old address",
    ({ order }) => [...sold(order, "limit_bytes = NULL"), given(order, "replace")],
    ({ order }) => [
      `orders\tdiffers\tchange \\S+ of order ${order}\tgives 0 days at no charge \\(replace, by nobody\\)`,
      `orders\tdiffers\tchange \\S+ of order ${order}\treplaced the proxy \\S+ at \\S+ \\S+; its address did not change then`
    ]
  ],
  [
    "a proxy that was moved to another address by hand",
    ({ order }) => [
      ...sold(order, "limit_bytes = NULL"),
      `INSERT INTO gateway_exit_hold (proxy_id, exit_ip, port, from_at, until_at)
       SELECT id, '198.51.100.9', port, ${old}, created_at FROM gateway_proxy WHERE reference = '${order}'`
    ],
    ({ order }) => [
      `orders\tdiffers\tgateway proxy \\S+\tof order ${order} moved from 198.51.100.9 to the machine at \\S+ \\S+, and no change says so`
    ]
  ]
]

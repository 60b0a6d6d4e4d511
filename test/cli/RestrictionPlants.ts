import { epoch, old, type Plant, sold } from "./ReconcilePlants.ts"

/** Inserts a restriction without its effects. */
const restriction = (user: string, preset: string, blocks: string, more = "NULL") =>
  `INSERT INTO account_restriction (id, user_id, preset, blocks_access, blocks_spending, blocks_service, reason_code,
     internal_reason, public_reason, source, placed_by, placed_at, until_at)
   VALUES (gen_random_uuid(), '${user}', '${preset}', ${blocks}, 'abuse', 'A scan', 'A scan', 'staff', 'ada', ${old}, ${more})`

const suspended = (user: string) => [
  restriction(user, "suspend", "false, true, true"),
  `UPDATE user_account SET service_blocked = true WHERE id = '${user}'`,
  `UPDATE wallet SET spending_blocked = true WHERE user_id = '${user}'`
]

/** Forged restrictions, each with the line that `reconcile` prints. */
export const restrictionPlants: ReadonlyArray<Plant> = [
  [
    "an offer that a hand paused",
    () => ["UPDATE offer SET paused = true WHERE kind = 'mobile'"],
    () => ["orders\tdiffers\toffer \\d+\tis paused, and no pause covers it"]
  ],
  [
    "a flag that was set by hand",
    ({ user }) => [`UPDATE user_account SET access_blocked = true WHERE id = '${user}'`],
    ({ user }) => [`orders\tdiffers\taccount ${user}\tits access is blocked, and by its restrictions it is free`]
  ],
  [
    "an account that is suspended, and does not know it",
    ({ user, wallet }) => [
      restriction(user, "hold", "false, true, false"),
      `UPDATE wallet SET spending_blocked = true WHERE user_id = '${user}' AND id <> '${wallet}'`
    ],
    ({ wallet }) => [
      `orders\tdiffers\twallet ${wallet}\tits spending is free, and by the restrictions of its account it is blocked`
    ]
  ],
  [
    "a vendor's proxy of a suspended account that nobody stopped",
    ({ order, user }) => [...suspended(user), `UPDATE proxy_order SET updated_at = ${old} WHERE id = '${order}'`],
    ({ order, user }) => [
      `orders\tdiffers\torder ${order}\tits proxy at memory is not stopped \\(nobody tried\\), and account ${user} is suspended`
    ]
  ],
  [
    "a vendor's proxy of a free account that still has a secret login",
    ({ order }) => [
      `INSERT INTO proxy_stop (order_id, task, stopped_at, created_at, updated_at)
       VALUES ('${order}', 'stop', ${epoch}, ${epoch}, ${epoch})`
    ],
    ({ order, user }) => [
      `orders\tdiffers\torder ${order}\tits proxy at memory still has a secret login \\(nobody tried\\), and account ${user} is free`
    ]
  ],
  [
    "a proxy of the gateway that serves the clients of a suspended account",
    ({ order, user }) => [...suspended(user), ...sold(order, "suspended_at = NULL")],
    ({ user }) => [`orders\tdiffers\tgateway proxy \\S+\tserves clients, and account ${user} is suspended`]
  ],
  [
    "a proxy of the gateway that is suspended although its account is free",
    ({ order }) => sold(order, `suspended_at = ${epoch}`),
    ({ user }) => [`orders\tdiffers\tgateway proxy \\S+\tis suspended since .*, and account ${user} is free`]
  ],
  [
    "a restriction whose time is over",
    ({ user }) => [
      restriction(user, "hold", "false, true, false", `${old} + interval '1 second'`),
      `UPDATE wallet SET spending_blocked = true WHERE user_id = '${user}'`
    ],
    ({ user }) => [`orders\tdiffers\taccount ${user}\tits restriction should have ended at `]
  ],
  [
    "a restriction whose dispute is over",
    ({ intent, user }) => [
      restriction(user, "hold", "false, true, false"),
      `UPDATE wallet SET spending_blocked = true WHERE user_id = '${user}'`,
      `INSERT INTO payment_reversal (payment_method, reversal_id, charge_id, user_id, currency, kind, status, amount, debited,
         restriction_id, created_at, updated_at)
       SELECT c.payment_method, 'du_' || c.charge_id, c.charge_id, c.user_id, c.currency, 'dispute', 'returned', 0, 0, r.id,
         ${old}, ${old}
       FROM payment_charge c JOIN account_restriction r ON r.user_id = c.user_id WHERE c.payment_intent_id = '${intent}'`
    ],
    ({ user }) => [`orders\tdiffers\taccount ${user}\tis restricted, and its dispute du_\\S+ is over`]
  ]
]

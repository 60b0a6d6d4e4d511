import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { discount } from "./Operator.ts"
import * as Restricting from "./Restricting.ts"

/** Invariants of money, which hold once everything has settled; each query finds the rows that break one. */
const money = (sql: SqlClient.SqlClient, now: Date) => ({
  "a balance is the sum of its ledger, and never below zero": sql`
    SELECT w.id, w.balance::text, coalesce(sum(t.amount), 0)::text AS ledger FROM wallet w
    LEFT JOIN wallet_transaction t ON t.wallet_id = w.id AND t.status = 'completed'
    GROUP BY w.id HAVING w.balance <> coalesce(sum(t.amount), 0) OR w.balance < 0 OR min(t.balance_after) < 0
  `,

  "sandbox money is marked as its ledger says": sql`
    SELECT w.id, w.sandbox_balance::text, sum(t.sandbox_after - t.sandbox_before)::text AS ledger FROM wallet w
    JOIN wallet_transaction t ON t.wallet_id = w.id AND t.status = 'completed'
    GROUP BY w.id HAVING w.sandbox_balance <> sum(t.sandbox_after - t.sandbox_before)
  `,

  "an order is charged once, and refunded once if it failed": sql`
    SELECT o.id, o.status, count(p.id)::int AS payments, count(r.id)::int AS refunds FROM proxy_order o
    LEFT JOIN wallet_transaction p ON p.reference = o.id::text AND p.transaction_type = 'payment'
      AND p.status = 'completed' AND p.order_id = o.id AND p.amount = -o.total
    LEFT JOIN wallet_transaction r ON r.refunded_transaction_id = p.id AND r.amount = o.total AND r.cause IS NULL
    GROUP BY o.id HAVING
      count(DISTINCT p.id) <> (o.status NOT IN ('new', 'waiting_payment') AND (o.status <> 'cancelled' OR o.host IS NOT NULL))::int
      OR count(r.id) <> (o.status = 'refunded')::int
  `,

  "a proxy change is charged once, and refunded once if it was refused": sql`
    SELECT c.id, c.status, count(p.id)::int AS payments, count(r.id)::int AS refunds FROM proxy_change c
    LEFT JOIN wallet_transaction p ON p.reference = 'change:' || c.id AND p.transaction_type = 'payment'
      AND p.status = 'completed' AND p.order_id = c.order_id AND p.amount = -c.total
    LEFT JOIN wallet_transaction r ON r.refunded_transaction_id = p.id AND r.amount = c.total AND r.cause IS NULL
    GROUP BY c.id HAVING count(DISTINCT p.id) <> (c.origin <> 'staff')::int
      OR count(r.id) <> (c.status = 'refused' AND c.origin <> 'staff')::int
  `,

  "money that staff moves has one record, and a payment returns once": sql`
    SELECT t.id, t.cause, t.amount::text FROM wallet_transaction t
    LEFT JOIN wallet_adjustment a ON a.transaction_id = t.id AND a.status = 'booked' AND a.amount = t.amount
    LEFT JOIN order_refund_part p ON p.transaction_id = t.id AND p.amount = t.amount
    LEFT JOIN gateway_refund g ON (g.withdrawal_id = t.id AND g.amount = -t.amount) OR (g.return_id = t.id AND g.given_back = t.amount)
    LEFT JOIN payout o ON (o.withdrawal_id = t.id AND o.amount = -t.amount) OR (o.return_id = t.id AND o.amount = t.amount)
    WHERE t.cause IS NOT NULL GROUP BY t.id HAVING count(a.id) + count(p.refund_id) + count(g.id) + count(o.id) <> 1
    UNION ALL
    SELECT p.id, 'payment', p.amount::text FROM wallet_transaction p
    JOIN wallet_transaction r ON r.refunded_transaction_id = p.id GROUP BY p.id HAVING sum(r.amount) > -p.amount
    UNION ALL
    SELECT r.id, 'refund', r.amount::text FROM order_refund r LEFT JOIN order_refund_part p ON p.refund_id = r.id
    WHERE r.status = 'booked' GROUP BY r.id HAVING coalesce(sum(p.amount), 0) <> r.amount
    UNION ALL
    SELECT a.id, a.cause, a.amount::text FROM wallet_adjustment a LEFT JOIN wallet_transaction t ON t.id = a.transaction_id
    WHERE a.status = 'booked' AND (t.cause, t.amount) IS DISTINCT FROM (a.cause, a.amount)
  `,

  "a top-up is due for each balance below its threshold": sql`
    SELECT s.user_id, w.balance::text, s.threshold::text FROM auto_top_up s
    JOIN wallet w ON w.user_id = s.user_id AND w.currency = 'USD'
    WHERE s.is_on AND s.due_at IS NULL AND w.balance - w.sandbox_balance < s.threshold
      AND NOT (w.purchases_stopped OR w.spending_blocked)
      AND auto_top_up_used(s.user_id, ${now}) + s.amount <= s.monthly_limit
  `,

  "every charge is for something that exists": sql`
    SELECT t.id, t.reference FROM wallet_transaction t WHERE t.transaction_type = 'payment'
      AND NOT EXISTS (SELECT FROM proxy_order WHERE id::text = t.reference)
      AND NOT EXISTS (SELECT FROM proxy_change WHERE 'change:' || id = t.reference)
  `
})

/** Invariants of what staff gives to orders. */
const given = (sql: SqlClient.SqlClient) => ({
  "a proxy moves to another address once for each replacement": sql`
    SELECT o.id, o.replaced, h.moves FROM (
      SELECT o.id, o.provider_proxy_id, count(c.id)::int AS replaced FROM proxy_order o
      LEFT JOIN proxy_change c ON c.order_id = o.id AND c.kind = 'replace' AND c.status = 'applied'
      WHERE o.provider = 'gateway' AND o.provider_proxy_id IS NOT NULL GROUP BY o.id
    ) o JOIN (SELECT proxy_id, count(*)::int - 1 AS moves FROM gateway_exit_hold GROUP BY proxy_id) h
      ON h.proxy_id::text = o.provider_proxy_id
    WHERE o.replaced <> h.moves
  `,

  "an order has the login of its proxy": sql`
    SELECT o.id FROM proxy_order o JOIN gateway_proxy g ON g.id::text = o.provider_proxy_id
    WHERE o.provider = 'gateway' AND o.status = 'provisioned' AND g.status = 'open'
      AND (o.username, o.password) IS DISTINCT FROM (g.logins -> 0 ->> 'username', g.logins -> 0 ->> 'password')
  `
})

/** Invariants of payments that go back. */
const takenBack = (sql: SqlClient.SqlClient) => ({
  "a withdrawal takes its money once, and returns it when it is declined": sql`
    SELECT o.id, o.status, o.amount::text FROM payout o LEFT JOIN wallet_transaction w ON w.id = o.withdrawal_id AND w.cause = 'payout'
    LEFT JOIN wallet_transaction b ON b.id = o.return_id AND b.cause = 'payout_declined'
    WHERE (w.amount, coalesce(b.amount, 0))
      IS DISTINCT FROM (-o.amount, CASE WHEN o.status IN ('declined', 'cancelled') THEN o.amount ELSE 0 END)
  `,

  "what takes a payment back is debited once": sql`
    SELECT charge_id, claimed::text, held::text FROM payment_taken_back WHERE claimed <> held
  `,

  "a share of a payment is credited once, and taken back with the payment": sql`
    SELECT s.charge_id, s.status, count(t.id)::int AS entries, coalesce(sum(t.amount), 0)::text AS sum FROM referral_share s
    LEFT JOIN wallet_transaction t ON t.id IN (s.transaction_id, s.return_id) AND t.user_id = s.referrer_id
      AND t.status = 'completed'
    GROUP BY s.payment_method, s.charge_id, s.round HAVING
      count(t.id) FILTER (WHERE t.transaction_type = 'deposit' AND t.amount = s.amount) <> (s.transaction_id IS NOT NULL)::int
      OR coalesce(sum(t.amount), 0) <> CASE s.status WHEN 'credited' THEN s.amount ELSE 0 END
      OR (s.status IN ('held', 'credited')) = (payment_taken_back_by(s.payment_method, s.charge_id) IS NOT NULL)
        AND s.status <> 'refused' AND NOT EXISTS (
          SELECT FROM referral_share n
          WHERE (n.payment_method, n.charge_id, n.round) = (s.payment_method, s.charge_id, s.round + 1)
        )
    UNION ALL
    SELECT t.reference, t.transaction_type, 1, t.amount::text FROM wallet_transaction t
    WHERE t.reference LIKE 'referral:%' AND NOT EXISTS (
      SELECT FROM referral_share WHERE t.id IN (transaction_id, return_id)
    )
  `
})

/** Invariants of everything else. */
const states = (sql: SqlClient.SqlClient, now: Date) => ({
  "a deleted account has nothing that runs": sql`
    SELECT o.id, o.status FROM proxy_order o JOIN user_account a ON a.id = o.user_id
    WHERE a.deleted_at IS NOT NULL AND o.status IN ('new', 'waiting_payment', 'paid', 'provisioned')
  `,

  "a change of a proxy's status is recorded once": sql`
    SELECT o.id, o.proxy_status, count(e.id)::int AS events, array_agg(e.status ORDER BY e.occurred_at) AS statuses
    FROM proxy_order o JOIN user_account a ON a.id = o.user_id AND a.deleted_at IS NULL
    LEFT JOIN webhook_event e ON e.order_id = o.id AND NOT e.is_test AND e.change_source <> 'replaced'
    GROUP BY o.id HAVING
      count(e.id) <> CASE WHEN o.host IS NULL THEN 0 WHEN o.proxy_status = 'active' THEN 1 ELSE count(e.id) END
      OR (o.host IS NOT NULL AND (
        count(e.id) FILTER (WHERE e.previous_status = 'pending') <> 1
        OR (array_agg(e.status ORDER BY e.occurred_at DESC, e.id DESC))[1] <> o.proxy_status
      ))
  `,

  "a replacement is told at most once": sql`
    SELECT e.order_id, count(*)::int AS events FROM webhook_event e
    WHERE e.change_source = 'replaced' AND NOT e.is_test GROUP BY e.order_id
    HAVING count(*) > (
      SELECT count(*) FROM proxy_change c WHERE c.order_id = e.order_id AND c.kind = 'replace' AND c.status = 'applied'
    )
  `,

  "every event has its delivery, and none waits": sql`
    SELECT e.id, d.status FROM webhook_event e
    JOIN user_account a ON a.id = e.user_id AND a.deleted_at IS NULL AND NOT (a.access_blocked OR a.service_blocked)
    LEFT JOIN webhook_delivery d ON d.event_id = e.id
    WHERE d.id IS NULL OR d.status <> 'delivered'
  `,

  "nothing is in a passing state beyond its deadline": stuck(sql, now),

  "the gateway's open proxies are the live orders": sql`
    SELECT o.id AS order_id, g.id AS proxy_id FROM (
      SELECT id, provider_proxy_id FROM proxy_order WHERE provider = 'gateway' AND status = 'provisioned'
    ) o
    FULL JOIN (
      SELECT id, reference FROM gateway_proxy WHERE status = 'open' AND expires_at > ${now}
    ) g ON g.id::text = o.provider_proxy_id AND g.reference = o.id
    WHERE o.id IS NULL OR g.id IS NULL
  `,

  "the record of exit addresses names the holder of each address": sql`
    SELECT g.id, host(g.exit_ip) AS exit_ip, h.proxy_id, host(h.exit_ip) AS recorded FROM (
      SELECT id, exit_ip FROM gateway_proxy WHERE status = 'open'
    ) g
    FULL JOIN (
      SELECT proxy_id, exit_ip FROM gateway_exit_hold WHERE until_at IS NULL
    ) h ON h.proxy_id = g.id
    WHERE g.id IS NULL OR h.proxy_id IS NULL OR g.exit_ip IS DISTINCT FROM h.exit_ip
  `,

  "a proxy leaves from the pool of its article": sql`
    SELECT g.id, o.external_id, g.article, g.pool, host(g.exit_ip) AS exit_ip FROM gateway_proxy g
    LEFT JOIN gateway_article a ON a.id = g.article LEFT JOIN exit_pool p ON p.name = g.pool
    LEFT JOIN exit_address e ON e.ip = g.exit_ip LEFT JOIN proxy_order o ON o.id = g.reference
    WHERE g.status = 'open' AND (g.article <> o.external_id
      OR (g.kind, g.country_code, g.ip_version) IS DISTINCT FROM (a.kind, a.country_code, a.ip_version)
      OR (g.kind, g.country_code) IS DISTINCT FROM (p.kind, p.country_code)
      OR g.exit_ip IS NOT NULL AND e.pool IS DISTINCT FROM g.pool)
  `,

  "an order pays one of the two prices of its article": sql`
    SELECT o.id, o.total::text FROM proxy_order o JOIN offer f ON f.id = o.offer_id AND f.provider = 'gateway'
    CROSS JOIN LATERAL (
      SELECT (f.source #>> ARRAY['options', (o.tarification_index)::text, 'prices', 'USD'])::bigint AS usd
    ) base
    WHERE o.currency = 'USD' AND o.discount = 0
      AND o.total NOT IN (usd, ((usd * ${100 - discount}::int + 999999) / 1000000) * 10000)
  `,

  "a proxy at the gateway has the paid time": sql`
    SELECT o.id, o.expires_at, g.expires_at AS at_the_gateway FROM proxy_order o JOIN gateway_proxy g ON g.reference = o.id
    WHERE o.status = 'provisioned' AND g.expires_at <> o.expires_at
  `
})

/** In milliseconds of the product: most of a minute on the wall. No card may be charged while the run compares. */
const whileComparing = 480_000

/** In milliseconds of the product: the time of a round of a job, and more. */
const round = 60_000

/** Unfinished work. It has a deadline, after which none of it may be left. */
const stuck = (
  sql: SqlClient.SqlClient,
  now: Date,
  soon = new Date(now.getTime() + whileComparing),
  lately = new Date(now.getTime() - round)
) => sql`
  SELECT 'order ' || status AS what, id FROM proxy_order
    WHERE status IN ('new', 'paid', 'provisioning_failed')
  UNION ALL
  SELECT 'order that waits for a payment that is over', o.id FROM proxy_order o JOIN payment_intent i ON i.id = o.payment_intent_id
    WHERE o.status = 'waiting_payment' AND (i.status <> 'pending' OR i.expires_at <= ${now})
  UNION ALL SELECT 'payment whose time is up', id FROM payment_intent WHERE status = 'pending' AND expires_at <= ${now}
  UNION ALL SELECT 'charge of a saved card', id FROM payment_intent WHERE status = 'pending' AND card_id IS NOT NULL
  UNION ALL SELECT 'automatic top-up', user_id FROM auto_top_up WHERE due_at <= ${soon}
  UNION ALL SELECT 'change', id FROM proxy_change WHERE status = 'pending'
  UNION ALL SELECT 'attempt to provision', order_id FROM provisioning_attempt WHERE outcome IS NULL
  UNION ALL SELECT 'share of a payment', referred_id FROM referral_share WHERE status = 'held' AND due_at <= ${now}
  UNION ALL SELECT 'refund at a gateway', id FROM gateway_refund WHERE status IN ('booked', 'sent', 'unknown')
  UNION ALL SELECT 'proxy of a refunded order', id FROM order_refund WHERE release_at IS NOT NULL
  UNION ALL SELECT 'released proxy', order_id FROM order_release
  UNION ALL SELECT 'document of a payment', transaction_id FROM invoice_due WHERE due_at <= ${lately}
  UNION ALL SELECT 'announcement with mails to queue', id FROM announcement WHERE mails_next_at IS NOT NULL
  UNION ALL SELECT 'mail of an announcement', id FROM email_outbox WHERE announcement_id IS NOT NULL
  UNION ALL SELECT 'deleted account', user_id FROM account_closure
  UNION ALL SELECT 'account with a changed restriction', user_id FROM restriction_round
  UNION ALL SELECT 'login of a stopped proxy', order_id FROM proxy_stop WHERE try_at <= ${now}
  UNION ALL
  SELECT 'delivery', d.id FROM webhook_delivery d JOIN webhook_event e ON e.id = d.event_id
    JOIN user_account a ON a.id = e.user_id AND a.deleted_at IS NULL AND NOT (a.access_blocked OR a.service_blocked)
    WHERE d.status = 'pending'
`

/** The rows that have not settled yet. */
export const unsettled = (now: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(stuck(sql, new Date(now)), (rows): ReadonlyArray<string> => rows.map(({ id, what }) => `${what} ${id}`))
  )

/** Names each broken invariant, with some of the rows that break it. */
export const violations = Effect.fnUntraced(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  const found: Array<string> = []
  const at = new Date(now)
  const all = {
    ...money(sql, at),
    ...given(sql),
    ...takenBack(sql),
    ...states(sql, at),
    ...Restricting.invariants(sql, at)
  }
  for (const [name, query] of Object.entries(all)) {
    const rows = yield* query
    if (rows.length > 0) found.push(`${name}: ${rows.length}, such as ${JSON.stringify(rows.slice(0, 2))}`)
  }
  return found
})

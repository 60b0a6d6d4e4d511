import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Account, Record } from "./Record.ts"

const presets = {
  suspend: { blocks_access: false, blocks_spending: true, blocks_service: true },
  ban: { blocks_access: true, blocks_spending: true, blocks_service: true }
}

/** The clocks of the processes differ by less than this. */
const skew = "1 minute"

/** Places a restriction as the operator does, once for an id: the database makes the account and its proxies follow. */
export const place = Effect.fnUntraced(function* (
  id: string,
  { id: user_id }: Account,
  preset: keyof typeof presets,
  now: number
) {
  const sql = yield* SqlClient.SqlClient
  const row = {
    id,
    user_id,
    preset,
    ...presets[preset],
    reason_code: "other",
    internal_reason: "A fault run",
    public_reason: "A fault run",
    source: "staff",
    placed_by: "faults",
    placed_at: new Date(now)
  }
  yield* sql`INSERT INTO account_restriction ${sql.insert(row)} ON CONFLICT DO NOTHING`
})

export const lift = Effect.fnUntraced(function* (id: string, now: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE account_restriction
    SET lifted_at = greatest(placed_at, ${new Date(now)}), lifted_by = 'faults', lift_reason = 'A fault run'
    WHERE id = ${id} AND lifted_at IS NULL
  `
})

/** Finds the orders during a restriction that were not refused, and the orders afterwards that were not made. */
export const misanswered = ({ restrictions }: Record): ReadonlyArray<string> =>
  restrictions.flatMap(({ orderedAfter = 201, orderedDuring = 403, user_id }) => [
    ...(orderedDuring === 403
      ? []
      : [`account ${user_id}: an order during its restriction was answered ${orderedDuring}`]),
    ...(orderedAfter === 201 ? [] : [`account ${user_id}: an order after its restriction was answered ${orderedAfter}`])
  ])

/** Invariants of restricted accounts, which hold once everything has settled. */
export const invariants = (sql: SqlClient.SqlClient, now: Date) => ({
  "a restricted account buys nothing": sql`
    SELECT t.id, t.created_at, r.preset, r.placed_at, r.lifted_at
    FROM account_restriction r JOIN wallet_transaction t ON t.user_id = r.user_id AND t.transaction_type = 'payment'
    WHERE t.created_at > r.placed_at + ${skew}::interval
      AND t.created_at < coalesce(r.lifted_at - ${skew}::interval, 'infinity')
  `,

  "the flags of an account follow from its restrictions": sql`
    SELECT a.id FROM user_account a CROSS JOIN LATERAL (
      SELECT coalesce(bool_or(blocks_access), false) AS access, coalesce(bool_or(blocks_service), false) AS service,
        coalesce(bool_or(blocks_spending), false) AS spending
      FROM account_restriction r WHERE r.user_id = a.id AND r.lifted_at IS NULL
    ) r
    WHERE (a.access_blocked, a.service_blocked) <> (r.access, r.service)
      OR EXISTS (SELECT FROM wallet w WHERE w.user_id = a.id AND w.spending_blocked <> r.spending)
  `,

  "the proxies of a suspended account serve nobody, and those of other accounts do": sql`
    SELECT g.id, a.service_blocked, g.suspended_at FROM gateway_proxy g JOIN proxy_order o ON o.id = g.reference
    JOIN user_account a ON a.id = o.user_id
    WHERE g.status = 'open' AND g.expires_at > ${now} AND o.status = 'provisioned'
      AND a.service_blocked <> (g.suspended_at IS NOT NULL)
  `
})

import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Role } from "../Role.ts"
import { TodoItem, TodoKind, todoKinds } from "./Todo.ts"

/**
 * The records that wait for a person, by kind: `id`, `since` when a person should look, `user_id`, `order_id`, `detail`. Each
 * reads one partial index. An order may be under way for 4 hours at a slow vendor (`delivers_within`).
 */
const causes: Readonly<Record<TodoKind, string>> = {
  orphan: `
    SELECT a.id::text AS id, a.look_at AS since, o.user_id, o.id AS order_id, format('%s: %s', a.provider, a.detail) AS detail
    FROM provisioning_attempt a JOIN proxy_order o ON o.id = a.order_id WHERE a.outcome = 'orphaned'
  `,
  unknown_order: `
    SELECT a.id::text AS id, a.finished_at + interval '1 day' AS since, o.user_id, o.id AS order_id,
      format('%s: %s', a.provider, coalesce(a.detail, 'no answer')) AS detail
    FROM provisioning_attempt a JOIN proxy_order o ON o.id = a.order_id WHERE a.outcome = 'abandoned'
  `,
  late_order: `
    SELECT id::text AS id, updated_at + interval '5 hours' AS since, user_id, id AS order_id, provider AS detail
    FROM proxy_order WHERE status = 'paid'
  `,
  late_change: `
    SELECT c.id::text AS id, c.created_at + interval '5 hours' AS since, o.user_id, o.id AS order_id,
      format('%s: %s', o.provider, c.kind) AS detail
    FROM proxy_change c JOIN proxy_order o ON o.id = c.order_id WHERE c.status = 'pending'
  `,
  proxy_stop: `
    SELECT s.order_id::text AS id, s.created_at + interval '10 minutes' AS since, o.user_id, o.id AS order_id,
      format('%s: %s', o.provider, s.detail) AS detail
    FROM proxy_stop s JOIN proxy_order o ON o.id = s.order_id WHERE s.try_at IS NOT NULL AND s.detail IS NOT NULL
  `,
  proxy_release: `
    SELECT r.id::text AS id, r.created_at + interval '30 minutes' AS since, r.user_id, r.order_id, o.provider AS detail
    FROM order_refund r JOIN proxy_order o ON o.id = r.order_id WHERE r.release_at IS NOT NULL
    UNION ALL
    SELECT r.order_id::text, r.created_at + interval '30 minutes', o.user_id, r.order_id, o.provider
    FROM order_release r JOIN proxy_order o ON o.id = r.order_id
  `,
  unknown_refund: `
    SELECT g.id::text AS id,
      g.created_at + CASE g.status WHEN 'pending' THEN interval '14 days' ELSE interval '30 minutes' END AS since, g.user_id,
      r.order_id, format('%s: %s', g.payment_method, g.status) AS detail
    FROM gateway_refund g JOIN order_refund r ON r.id = g.order_refund_id WHERE g.look_at IS NOT NULL AND g.status <> 'succeeded'
  `,
  callback: `
    SELECT id::text AS id, received_at + CASE outcome WHEN 'received' THEN interval '10 minutes' ELSE interval '0' END AS since,
      NULL::uuid AS user_id, NULL::uuid AS order_id, format('%s: %s', payment_method, outcome) AS detail
    FROM payment_callback WHERE outcome IN ('unmatched', 'unchecked', 'received')
  `,
  credit_request: `
    SELECT id::text AS id, created_at AS since, user_id, order_id, format('%s by %s', cause, created_by_name) AS detail
    FROM wallet_adjustment WHERE status = 'requested'
  `,
  refund_request: `
    SELECT id::text AS id, created_at AS since, user_id, order_id, format('%s by %s', kind, created_by_name) AS detail
    FROM order_refund WHERE status = 'requested'
  `,
  payout: `
    SELECT id::text AS id, created_at AS since, user_id, NULL::uuid AS order_id,
      status || coalesce(', stop: ' || payout_stop_of(user_id), '') AS detail
    FROM payout WHERE status IN ('requested', 'approved')
  `,
  dispute: `
    SELECT reversal_id AS id, created_at AS since, user_id, NULL::uuid AS order_id,
      format('%s%s', coalesce(reason, 'dispute'), to_char(answer_by AT TIME ZONE 'UTC', '", answer by "YYYY-MM-DD')) AS detail
    FROM payment_reversal WHERE dispute_state = 'needs_answer'
  `,
  webhook: `
    SELECT id::text AS id, failure_warned_at AS since, user_id, NULL::uuid AS order_id,
      format('%s: %s', substring(url FROM '^https?://([^/?#]*)'), CASE WHEN enabled THEN 'failing' ELSE 'disabled' END) AS detail
    FROM webhook_endpoint WHERE failure_warned_at IS NOT NULL
  `,
  mail: `
    SELECT m.id::text AS id, m.given_up_at AS since, u.id AS user_id, NULL::uuid AS order_id,
      format('%s: %s', m.subject, m.failure) AS detail
    FROM email_outbox m LEFT JOIN user_account u ON u.email = m.to_address
    WHERE m.given_up_at IS NOT NULL AND NOT EXISTS (SELECT FROM staff s WHERE s.email = m.to_address)
  `,
  vendor_balance: `
    SELECT provider AS id, low_since AS since, NULL::uuid AS user_id, NULL::uuid AS order_id,
      format('%s has %s USD', provider, round(balance_usd / 1e6, 2)) AS detail
    FROM vendor_balance WHERE low_since IS NOT NULL
  `,
  pause_ended: `
    SELECT id::text AS id, lifted_at AS since, NULL::uuid AS user_id, NULL::uuid AS order_id,
      format('%s: %s', concat_ws(' ', scope, scope_id), reason) AS detail
    FROM sales_pause WHERE lifted_at >= until_at AND lifted_at > $1::timestamptz - interval '7 days'
  `
}

/** A call to the operator's webhook that is due. */
const DueCall = Schema.Struct({
  kind: TodoKind,
  id: Schema.String,
  delivery_id: Schema.String,
  notified_at: Schema.DateTimeUtcFromDate,
  call_attempt: Schema.Int
})
export type DueCall = typeof DueCall.Type

const Count = Schema.Struct({ kind: TodoKind, count: Schema.Int })

/** A person who may be notified. */
const Colleague = Schema.Struct({ email: Schema.String, role: Role })

const kinds = Object.keys(todoKinds) as ReadonlyArray<TodoKind>

const countedAtMost = 1000

/** The open items of a kind, whose time has come and that nobody has settled. `$1` is now. */
const open = (kind: TodoKind, limit: number, more = "") => `
  SELECT '${kind}' AS kind, c.id, c.since, c.user_id::text, c.order_id::text, left(c.detail, 500) AS detail
  FROM (${causes[kind]}) c
  WHERE c.since <= $1 AND NOT EXISTS (
    SELECT FROM todo_item t WHERE t.kind = '${kind}' AND t.subject_id = c.id AND t.settled_at IS NOT NULL
  ) ${more}
  ORDER BY c.since, c.id LIMIT ${limit}
`

const isUnknown = (kind: TodoKind) =>
  `AND NOT EXISTS (SELECT FROM todo_item t WHERE t.kind = '${kind}' AND t.subject_id = c.id)`

/** The notices to staff about items. */
const notifying = (sql: SqlClient.SqlClient) => {
  const items = Rows.all(TodoItem)
  const calls = Rows.all(DueCall)
  const people = Rows.all(Colleague)

  return {
    /** Records open items that staff have not heard of, and returns them. Two processes record an item once. */
    notify: (now: DateTime.Utc, call_at: DateTime.Utc | null, limit: number) =>
      items(
        sql.unsafe(
          `
          WITH unknown AS (
            ${kinds.map((kind) => `(${open(kind, limit, isUnknown(kind))})`).join(" UNION ALL ")}
          ), notified AS (
            INSERT INTO todo_item (kind, subject_id, delivery_id, told_at, call_at)
            SELECT kind, id, gen_random_uuid(), $1, $2::timestamptz FROM unknown
            ON CONFLICT (kind, subject_id) DO NOTHING RETURNING kind, subject_id
          )
          SELECT u.* FROM unknown u JOIN notified t ON t.kind = u.kind AND t.subject_id = u.id ORDER BY u.since, u.id
          `,
          [DateTime.toDate(now), call_at === null ? null : DateTime.toDate(call_at)]
        )
      ),

    /** Forgets items whose cause has ended. */
    forget: (now: DateTime.Utc) =>
      Effect.forEach(
        kinds,
        (kind) =>
          Effect.orDie(
            sql.unsafe(
              `
              DELETE FROM todo_item t WHERE kind = '${kind}' AND NOT EXISTS (
                SELECT FROM (${causes[kind]}) c WHERE c.id = t.subject_id AND c.since <= $1
              )
              `,
              [DateTime.toDate(now)]
            )
          ),
        { discard: true }
      ),

    /** The people who can sign in. */
    colleagues: people(sql`
      SELECT email, role FROM staff WHERE disabled_at IS NULL AND password_hash IS NOT NULL ORDER BY email LIMIT 1000
    `),

    /** Claims calls of the operator's webhook that are due, until `lease`. */
    claimCalls: (now: DateTime.Utc, lease: DateTime.Utc, limit: number) =>
      calls(sql`
        UPDATE todo_item SET call_at = ${DateTime.toDate(lease)}, call_attempt = call_attempt + 1
        WHERE (kind, subject_id) IN (
          SELECT kind, subject_id FROM todo_item WHERE call_at <= ${DateTime.toDate(now)}
          ORDER BY call_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )
        RETURNING kind, subject_id AS id, delivery_id, told_at AS notified_at, call_attempt
      `),

    /** Sets the time of the next try; null: it arrived, or was given up. */
    called: ({ id, kind }: Pick<DueCall, "id" | "kind">, next: DateTime.Utc | null) =>
      Effect.orDie(
        sql`
          UPDATE todo_item SET call_at = ${next === null ? null : DateTime.toDate(next)}
          WHERE kind = ${kind} AND subject_id = ${id}
        `
      )
  }
}

/** The items that wait for a person: they follow from the records, less those that a person has settled. */
export class TodoRepo extends Context.Service<TodoRepo>()("app/staff/TodoRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const items = Rows.all(TodoItem)
    const first = Rows.first(TodoItem)
    const counts = Rows.all(Count)

    return {
      ...notifying(sql),

      /** The open items of some kinds, the oldest first. */
      list: (of: ReadonlyArray<TodoKind>, now: DateTime.Utc, limit: number) =>
        items(
          sql.unsafe(
            `SELECT * FROM (${of.map((kind) => `(${open(kind, limit)})`).join(" UNION ALL ")}) q ORDER BY since, id LIMIT ${limit}`,
            [DateTime.toDate(now)]
          )
        ),

      find: (kind: TodoKind, id: string, now: DateTime.Utc) =>
        first(sql.unsafe(open(kind, 1, "AND c.id = $2"), [DateTime.toDate(now), id])),

      /** The number of open items of each kind that has some, at most 1,000. */
      counts: (now: DateTime.Utc) =>
        counts(
          sql.unsafe(
            kinds
              .map(
                (kind) =>
                  `SELECT '${kind}' AS kind, count(*)::int AS count FROM (${open(kind, countedAtMost)}) q HAVING count(*) > 0`
              )
              .join(" UNION ALL "),
            [DateTime.toDate(now)]
          )
        ),

      settle: (item: Pick<TodoItem, "id" | "kind">, by: string, delivery_id: string, now: DateTime.Utc) =>
        Effect.orDie(sql`
          INSERT INTO todo_item (kind, subject_id, delivery_id, settled_at, settled_by)
          VALUES (${item.kind}, ${item.id}, ${delivery_id}, ${DateTime.toDate(now)}, ${by})
          ON CONFLICT (kind, subject_id) DO UPDATE SET settled_at = excluded.settled_at, settled_by = excluded.settled_by,
            call_at = NULL
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

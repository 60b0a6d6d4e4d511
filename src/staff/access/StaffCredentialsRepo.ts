import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Role } from "../Role.ts"
import { StaffId } from "../StaffId.ts"

const idle = Duration.minutes(30)

/** A session whose person gave password and code, or a token, with its staff member. */
const Credential = Schema.Struct({
  id: Schema.String,
  staff_id: StaffId,
  name: Schema.String,
  role: Role,
  permissions: Schema.NullOr(Schema.Array(Schema.String)),
  allowed_ips: Schema.NullOr(Schema.Array(Schema.String)),
  confirmed_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})

export class StaffCredentialsRepo extends Context.Service<StaffCredentialsRepo>()("app/staff/StaffCredentialsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const first = Rows.first(Credential)

    return {
      /** Finds a signed-in session of an active staff member, and notes that it was seen. */
      session: (secret_hash: string, now: DateTime.Utc) =>
        first(sql`
          UPDATE staff_session s SET seen_at = ${DateTime.toDate(now)}
          FROM staff m
          WHERE s.secret_hash = ${secret_hash} AND m.id = s.staff_id AND m.disabled_at IS NULL
            AND s.confirmed_at IS NOT NULL AND s.ends_at > ${DateTime.toDate(now)}
            AND s.seen_at > ${DateTime.toDate(DateTime.subtractDuration(now, idle))}
          RETURNING s.id, s.staff_id, m.name, m.role, NULL::text[] AS permissions, NULL::text[] AS allowed_ips,
            s.confirmed_at
        `),

      /** Finds a token of an active staff member, and notes that it was used. */
      token: (secret_hash: string, now: DateTime.Utc) =>
        first(sql`
          UPDATE staff_token t SET last_used_at = ${DateTime.toDate(now)}
          FROM staff m
          WHERE t.secret_hash = ${secret_hash} AND m.id = t.staff_id AND m.disabled_at IS NULL
            AND t.expires_at > ${DateTime.toDate(now)}
          RETURNING t.id, t.staff_id, t.name, m.role, t.permissions, t.allowed_ips, NULL::timestamptz AS confirmed_at
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { StaffId } from "../StaffId.ts"
import { Invite } from "./Invite.ts"

const lasts = Duration.hours(48)

export class InvitesRepo extends Context.Service<InvitesRepo>()("app/staff/InvitesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(Invite)
    const first = Rows.first(Invite)
    const one = Rows.one(Invite)
    const open = (now: DateTime.Utc) => sql`
      SELECT i.staff_id, m.email, m.name, m.role, i.ends_at FROM staff_invite i JOIN staff m ON m.id = i.staff_id
      WHERE m.disabled_at IS NULL AND i.ends_at > ${DateTime.toDate(now)}`

    return {
      /** Replaces the open invitation of a member. */
      put: Effect.fnUntraced(function* (staff_id: StaffId, token_hash: string, created_by: StaffId | null) {
        const now = yield* DateTime.now
        const [created_at, ends_at] = [DateTime.toDate(now), DateTime.toDate(DateTime.addDuration(now, lasts))]
        yield* Effect.orDie(sql`
          INSERT INTO staff_invite ${sql.insert({ staff_id, token_hash, created_by, created_at, ends_at })}
          ON CONFLICT (staff_id) DO UPDATE SET token_hash = excluded.token_hash, created_by = excluded.created_by,
            created_at = excluded.created_at, ends_at = excluded.ends_at
        `)
        return yield* one(sql`${open(now)} AND i.staff_id = ${staff_id}`)
      }),

      /** Lists the open invitations; there are as many as members at most. */
      list: (now: DateTime.Utc) => all(sql`${open(now)} ORDER BY i.ends_at DESC, i.staff_id LIMIT 1000`),

      find: (token_hash: string, now: DateTime.Utc) => first(sql`${open(now)} AND i.token_hash = ${token_hash}`),

      remove: (staff_id: StaffId) =>
        Rows.any(sql`DELETE FROM staff_invite WHERE staff_id = ${staff_id} RETURNING staff_id`),

      /** Uses an invitation up: sets the password, and ends the sessions with the earlier one. False when it is used up. */
      accept: (token_hash: string, password_hash: string, now: DateTime.Utc) =>
        Rows.any(sql`
          WITH used AS (
            DELETE FROM staff_invite WHERE token_hash = ${token_hash} AND ends_at > ${DateTime.toDate(now)}
            RETURNING staff_id
          ), ended AS (DELETE FROM staff_session WHERE staff_id IN (SELECT staff_id FROM used))
          UPDATE staff SET password_hash = ${password_hash}
          WHERE id IN (SELECT staff_id FROM used) AND disabled_at IS NULL RETURNING id
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { Keyset } from "../Keyset.ts"
import type { Role } from "../Role.ts"
import { LastOwner, StaffEmailTaken } from "../StaffErrors.ts"
import type { StaffId } from "../StaffId.ts"
import { Member } from "./Member.ts"
import type { NewMember } from "./NewMember.ts"

/** The trigger `staff_last_owner` is the only constraint that a change of a member can break. */
const keepingOwner = <A>(change: Effect.Effect<A, SqlError.SqlError>) =>
  change.pipe(
    Effect.catchReason("SqlError", "ConstraintError", () => Effect.fail(new LastOwner({ details: {} }))),
    Effect.catchTag("SqlError", Effect.die)
  )

export class MembersRepo extends Context.Service<MembersRepo>()("app/staff/MembersRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const first = Rows.first(Member)
    const all = Rows.all(Member)
    const one = Rows.one(Schema.Struct({ any: Schema.Boolean }))
    const member = sql`
      SELECT id, email, name, role, totp_confirmed_at IS NOT NULL AS second_factor, created_at, CASE
        WHEN disabled_at IS NOT NULL THEN 'disabled' WHEN password_hash IS NULL THEN 'invited' ELSE 'active'
      END AS state FROM staff`

    return {
      exists: Effect.map(one(sql`SELECT EXISTS (SELECT FROM staff) AS any`), ({ any }) => any),
      find: (id: string) => first(sql`${member} WHERE id = ${id}`),
      /** Finds a member, and keeps other changes of it away until the transaction ends. */
      lock: (id: string) => first(sql`${member} WHERE id = ${id} FOR UPDATE`),
      findByEmail: (email: string) => first(sql`${member} WHERE email = ${email}`),
      /** Reads one member more than the limit, the newest first. */
      list: ({ after, limit }: Keyset) =>
        all(
          sql`${member} WHERE ${after === undefined ? sql`true` : sql`id < ${after}`} ORDER BY id DESC LIMIT ${limit + 1}`
        ),

      insert: Effect.fnUntraced(
        function* (id: StaffId, given: NewMember, created_by: StaffId | null) {
          const created_at = DateTime.toDate(yield* DateTime.now)
          yield* sql`INSERT INTO staff ${sql.insert({ id, ...given, created_by, created_at })}`
        },
        Effect.catchReason("SqlError", "UniqueViolation", () => Effect.fail(new StaffEmailTaken({ details: {} }))),
        Effect.catchTag("SqlError", Effect.die)
      ),

      setRole: (id: StaffId, role: Role) => keepingOwner(sql`UPDATE staff SET role = ${role} WHERE id = ${id}`),
      disable: Effect.fnUntraced(function* (id: StaffId) {
        const now = DateTime.toDate(yield* DateTime.now)
        yield* keepingOwner(sql`UPDATE staff SET disabled_at = ${now} WHERE id = ${id}`)
      }),
      enable: (id: StaffId) => Effect.orDie(sql`UPDATE staff SET disabled_at = NULL WHERE id = ${id}`),
      /** Removes the second factor and ends the sessions, so that the next sign-in sets up another. */
      removeSecondFactor: (id: StaffId) =>
        Effect.orDie(sql`
          WITH ended AS (DELETE FROM staff_session WHERE staff_id = ${id})
          UPDATE staff SET totp_secret = NULL, totp_confirmed_at = NULL, recovery_hashes = '{}' WHERE id = ${id}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Role } from "../Role.ts"
import { StaffId } from "../StaffId.ts"

/** An active staff member, as a sign-in needs to know them. */
const Person = Schema.Struct({
  id: StaffId,
  email: Schema.String,
  name: Schema.String,
  role: Role,
  password_hash: Schema.String,
  totp_secret: Schema.NullOr(Schema.String),
  totp_confirmed_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  last_totp_step: Schema.Int
})
export type Person = typeof Person.Type

/** A person whose sign-in waits for a code. `offered_secret` is that of an authenticator app that the sign-in sets up. */
const Waiting = Schema.Struct({ ...Person.fields, offered_secret: Schema.NullOr(Schema.String) })
export type Waiting = typeof Waiting.Type

interface NewSession {
  readonly id: string
  readonly staff_id: StaffId
  readonly secret_hash: string
  readonly created_at: DateTime.Utc
  readonly ends_at: DateTime.Utc
  readonly address: string
  readonly user_agent: string
  /** The secret of an authenticator app that no code has confirmed; null when the person has one. */
  readonly totp_secret: string | null
}

interface Enrolment {
  readonly id: StaffId
  readonly totp_secret: string
  /** The step of the first code, which is used up. */
  readonly step: number
}

export class StaffSignInRepo extends Context.Service<StaffSignInRepo>()("app/staff/StaffSignInRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const first = Rows.first(Person)
    const firstWaiting = Rows.first(Waiting)
    const columns = sql.literal(Rows.columnsOf(Person).replaceAll(/(\w+)/g, "m.$1"))
    const active = sql`m.disabled_at IS NULL AND m.password_hash IS NOT NULL`

    return {
      findByEmail: (email: string) => first(sql`SELECT ${columns} FROM staff m WHERE m.email = ${email} AND ${active}`),

      /** Finds the person of a session that waits for a code. Keeps other codes of the person away until the transaction ends. */
      lockWaiting: (secret_hash: string, now: DateTime.Utc) =>
        firstWaiting(sql`
          SELECT ${columns}, s.totp_secret AS offered_secret FROM staff_session s JOIN staff m ON m.id = s.staff_id
          WHERE s.secret_hash = ${secret_hash} AND s.confirmed_at IS NULL AND s.ends_at > ${DateTime.toDate(now)}
            AND ${active} FOR UPDATE OF m
        `),

      /** The same for a person who is signed in. */
      lock: (id: StaffId) =>
        first(sql`SELECT ${columns} FROM staff m WHERE m.id = ${id} AND ${active} FOR UPDATE OF m`),

      insertSession: ({ created_at, ends_at, ...session }: NewSession) => {
        const begin = DateTime.toDate(created_at)
        const row = { ...session, created_at: begin, seen_at: begin, ends_at: DateTime.toDate(ends_at) }
        return Effect.orDie(sql`INSERT INTO staff_session ${sql.insert(row)}`)
      },

      /** Signs a waiting session in, under another secret. */
      signIn: (waiting_hash: string, secret_hash: string, now: DateTime.Utc, ends_at: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE staff_session SET secret_hash = ${secret_hash}, seen_at = ${DateTime.toDate(now)},
            confirmed_at = ${DateTime.toDate(now)}, totp_secret = NULL,
            ends_at = least(${DateTime.toDate(ends_at)}, created_at + interval '12 hours')
          WHERE secret_hash = ${waiting_hash}
        `),

      /** Notes that the person of a session gave password and code. */
      confirm: (secret_hash: string, now: DateTime.Utc) =>
        Effect.orDie(
          sql`UPDATE staff_session SET confirmed_at = ${DateTime.toDate(now)} WHERE secret_hash = ${secret_hash}`
        ),

      end: (secret_hash: string) => Effect.orDie(sql`DELETE FROM staff_session WHERE secret_hash = ${secret_hash}`),

      /** Deletes sessions, invitations and tokens that have ended. */
      removeEnded: (now: DateTime.Utc) =>
        Effect.orDie(sql`
          WITH sessions AS (DELETE FROM staff_session WHERE ends_at <= ${DateTime.toDate(now)}),
            invites AS (DELETE FROM staff_invite WHERE ends_at <= ${DateTime.toDate(now)})
          DELETE FROM staff_token WHERE expires_at <= ${DateTime.toDate(now)}
        `),

      /** Turns the second factor on. */
      enrol: ({ id, step, totp_secret }: Enrolment, recovery_hashes: ReadonlyArray<string>, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE staff SET totp_secret = ${totp_secret}, totp_confirmed_at = ${DateTime.toDate(now)}, last_totp_step = ${step},
            recovery_hashes = ${recovery_hashes} WHERE id = ${id}
        `),

      /** Uses up the codes up to this step; false when they are used up already. */
      useStep: (id: StaffId, step: number) =>
        Rows.any(
          sql`UPDATE staff SET last_totp_step = ${step} WHERE id = ${id} AND last_totp_step < ${step} RETURNING id`
        ),

      /** Uses up a recovery code; false when there is no such code. */
      useRecoveryCode: (id: StaffId, code_hash: string) =>
        Rows.any(sql`
          UPDATE staff SET recovery_hashes = array_remove(recovery_hashes, ${code_hash})
          WHERE id = ${id} AND ${code_hash} = ANY (recovery_hashes) RETURNING id
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

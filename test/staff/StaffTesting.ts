import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { Actor } from "../../src/staff/Actor.ts"
import { ofRole, type Permission } from "../../src/staff/Permissions.ts"
import type { Role } from "../../src/staff/Role.ts"
import { StaffId } from "../../src/staff/StaffId.ts"
import * as Secrets from "../../src/platform/Secrets.ts"

/** A staff member who has accepted the invitation and has a second factor. */
export const newStaff = Effect.fnUntraced(function* (role: Role, fields: object = {}) {
  const sql = yield* SqlClient.SqlClient
  const id = StaffId.make(randomUUID())
  const now = DateTime.toDate(yield* DateTime.now)
  const totp = { totp_secret: "A".repeat(32), totp_confirmed_at: now }
  const row = {
    id,
    email: `${id}@example.com`,
    name: `A ${role}`,
    role,
    password_hash: "none",
    created_at: now,
    ...totp
  }
  yield* sql`INSERT INTO staff ${sql.insert({ ...row, ...fields })}`
  return id
})

/** A token of a staff member: its secret. */
export const newToken = Effect.fnUntraced(function* (
  staff_id: StaffId,
  permissions: ReadonlyArray<Permission>,
  fields: object = {}
) {
  const sql = yield* SqlClient.SqlClient
  const secret = yield* Secrets.make("pst_")
  const now = yield* DateTime.now
  yield* sql`INSERT INTO staff_token ${sql.insert({
    id: randomUUID(),
    staff_id,
    name: "A token",
    prefix: secret.slice(0, 12),
    secret_hash: Secrets.digest(secret),
    permissions,
    allowed_ips: null,
    created_at: DateTime.toDate(now),
    expires_at: DateTime.toDate(DateTime.add(now, { days: 30 })),
    ...fields
  })}`
  return secret
})

/** A signed-in session of a staff member, confirmed at its beginning: its secret. */
export const newSession = Effect.fnUntraced(function* (staff_id: StaffId, fields: object = {}) {
  const sql = yield* SqlClient.SqlClient
  const secret = yield* Secrets.make("pss_")
  const now = yield* DateTime.now
  yield* sql`INSERT INTO staff_session ${sql.insert({
    id: randomUUID(),
    staff_id,
    secret_hash: Secrets.digest(secret),
    created_at: DateTime.toDate(now),
    seen_at: DateTime.toDate(now),
    ends_at: DateTime.toDate(DateTime.add(now, { hours: 12 })),
    confirmed_at: DateTime.toDate(now),
    address: "192.0.2.1",
    user_agent: "a test",
    ...fields
  })}`
  return secret
})

/** The actor of a staff member, for calls of services without a request. */
export const actorOf = (staff_id: StaffId, role: Role): Actor["Service"] => ({
  kind: "staff",
  id: staff_id,
  staff_id,
  name: `A ${role}`,
  role,
  address: "192.0.2.1",
  permissions: new Set(ofRole(role)),
  confirmed_at: null
})

import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { Audit } from "../../src/staff/audit/Audit.ts"

/** The services by which a command records what it does. */
export const recording = Layer.merge(Audit.layer, Layer.effect(Atomically, Atomically))

/** The events that commands of the machine's user left in the audit log, oldest first. */
export const events = Effect.map(
  SqlClient.SqlClient.use(
    (sql) => sql<{ action: string; subject: string; user_id: string | null; reason: string | null; after: unknown }>`
      SELECT action, subject_kind || ' ' || subject_id AS subject, user_id, reason, after FROM audit_event
      WHERE actor_kind = 'cli' AND actor_name LIKE 'cli:_%' AND outcome = 'done' ORDER BY id
    `
  ),
  (rows) => [...rows]
)

import type { SqlClient } from "effect/sql"

const section = "audit" as const

/** The chain of the audit log is whole. */
export const make = (sql: SqlClient.SqlClient) => ({
  section,
  checks: [
    {
      section,
      remedy: "somebody changed the log by hand; compare it with a backup, and with the last head that you kept",
      rows: sql`SELECT 'place ' || place AS subject, problem FROM audit_fault`
    }
  ],
  counted: sql`SELECT count(*) || ' events' AS what FROM audit_event`
})

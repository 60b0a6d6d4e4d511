import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"

/** The privileges of a gateway process, by table. It has no access to the rest of the database. */
const grants: ReadonlyArray<readonly [table: string, privileges: string]> = [
  ["effect_sql_migrations", "SELECT"],
  ["exit_address", "SELECT"],
  ["gateway_proxy", "SELECT, UPDATE (status, updated_at, used_bytes, leased_bytes)"],
  ["gateway_instance", "SELECT, INSERT, UPDATE, DELETE"],
  ["gateway_lease", "SELECT, INSERT, UPDATE, DELETE"],
  ["gateway_usage", "SELECT, INSERT, UPDATE"],
  ["gateway_usage_day", "SELECT, INSERT, UPDATE"],
  ["gateway_cycle", "SELECT, UPDATE (bytes)"],
  ["gateway_holder", "SELECT, INSERT, UPDATE (refills_at), DELETE"],
  ["gateway_port", "SELECT, INSERT, DELETE"],
  // A gateway adds to the log and cannot read it.
  ["gateway_connection", "SELECT (id), INSERT, UPDATE (seen_at, closed)"],
  ["gateway_log_day", "SELECT, INSERT, UPDATE (dropped)"],
  // The database itself removes what is beyond the bound of a proxy, in the name of the gateway.
  ["gateway_refusal", "SELECT, INSERT, UPDATE (count, last_at), DELETE"],
  ["gateway_exit_hold", "SELECT (proxy_id, from_at, until_at), UPDATE (until_at)"],
  ["destination_rule", "SELECT (id, scope, scope_id, action, first_port, last_port, network, host_suffix, until_at)"],
  ["destination_rules_state", "SELECT"]
]

/** The database role of gateway processes. */
export class GatewayRoleRepo extends Context.Service<GatewayRoleRepo>()("app/gateway/GatewayRoleRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const has = (role: string) => Rows.any(sql`SELECT FROM pg_roles WHERE rolname = ${role}`)

    const limits = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 100"

    return {
      config: sql.config,
      has,

      /**
       * Gives the role the privileges of a gateway and revokes all others. With a password, creates the role when it does
       * not exist. The password must be hexadecimal, because the statement contains it.
       */
      grant: (role: string, password?: string) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT pg_advisory_xact_lock(hashtext('gateway_role'))`
            if (password !== undefined) {
              const verb = (yield* has(role)) ? "ALTER" : "CREATE"
              yield* sql.unsafe(`${verb} ROLE "${role}" ${limits} PASSWORD '${password}'`)
            }
            yield* sql`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${sql(role)}`
            for (const [table, privileges] of grants)
              yield* sql`GRANT ${sql.literal(privileges)} ON ${sql(table)} TO ${sql(role)}`
          })
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

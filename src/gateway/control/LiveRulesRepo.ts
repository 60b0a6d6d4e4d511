import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { DestinationRule } from "../DestinationRule.ts"

const Rule = Schema.Struct({ ...DestinationRule.fields, until_at: Schema.NullOr(Schema.DateTimeUtcFromString) })
const state = Rows.one(Schema.Struct({ version: Schema.String, rules: Schema.NullOr(Schema.Array(Rule)) }))

/** Reads the rules about destinations for a gateway process. */
export class LiveRulesRepo extends Context.Service<LiveRulesRepo>()("app/gateway/LiveRulesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Reads the version of the rules, and all rules when it is not the known one. */
      read: (known: string | undefined) =>
        state(sql`
          SELECT version::text, CASE WHEN version::text IS DISTINCT FROM ${known ?? null}::text THEN (
            SELECT coalesce(json_agg(json_build_object('id', id, 'scope', scope, 'scope_id', scope_id, 'action', action,
              'first_port', first_port, 'last_port', last_port, 'network', network::text, 'host_suffix', host_suffix,
              'until_at', until_at)), '[]')
            FROM destination_rule
          ) END AS rules FROM destination_rules_state
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

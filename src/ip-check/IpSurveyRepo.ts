import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { flag } from "./IpCheckGate.ts"
import { reusable } from "./IpChecksRepo.ts"
import { VendorRow } from "./signals/VendorReport.ts"
import { Verdict } from "./signals/Verdict.ts"

const Known = Schema.Struct({
  enabled: Schema.NullOr(Schema.Boolean),
  verdict: Schema.NullOr(Verdict),
  risk_score: Schema.NullOr(Schema.Int),
  vendors: Schema.NullOr(Schema.Array(VendorRow))
})

const nothing: typeof Known.Type = { enabled: null, verdict: null, risk_score: null, vendors: null }
const known = Rows.first(Known)

export class IpSurveyRepo extends Context.Service<IpSurveyRepo>()("app/ip-check/IpSurveyRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Reads the account's override of the feature flag, and the recent check of the address. */
      known: (user_id: UserId, ip: string, since: DateTime.Utc, withSandbox: boolean) =>
        known(sql`
        SELECT (SELECT enabled FROM flag_override WHERE user_id = ${user_id} AND name = ${flag}) AS enabled,
          c.verdict, c.risk_score, c.vendors
        FROM (SELECT 1) AS always LEFT JOIN LATERAL (
          SELECT verdict, risk_score, vendors FROM ip_check
          WHERE ${reusable(sql, { ip, since: DateTime.toDate(since), withSandbox })}
        ) c ON true
      `).pipe(Effect.map(Option.getOrElse(() => nothing)))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

import { Context, type DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { UserId } from "../accounts/User.ts"
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

const Request = Schema.Struct({
  user_id: UserId,
  ip: Schema.String,
  since: Schema.DateTimeUtcFromDate,
  pretends: Schema.Boolean
})

export class IpSurveyRepo extends Context.Service<IpSurveyRepo>()("app/ip-check/IpSurveyRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const known = SqlSchema.findOne({
      Request,
      Result: Known,
      execute: ({ ip, pretends, since, user_id }) => sql`
        SELECT (SELECT enabled FROM flag_override WHERE user_id = ${user_id} AND name = ${flag}) AS enabled,
          c.verdict, c.risk_score, c.vendors
        FROM (SELECT 1) AS always LEFT JOIN LATERAL (
          SELECT verdict, risk_score, vendors FROM ip_check
          WHERE ${reusable(sql, { ip, since, pretends })}
        ) c ON true
      `
    })

    return {
      /** Answers the account's override of the flag, and the recent check of the address that may be shown. */
      known: (user_id: UserId, ip: string, since: DateTime.Utc, pretends: boolean) =>
        Effect.orDie(known({ user_id, ip, since, pretends }))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

import { PgClient } from "@effect/sql-pg"
import { Array as Arr, Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { IpCheck, IpCheckId } from "./IpCheck.ts"
import type { VendorReport } from "./signals/VendorReport.ts"
import type { Judgement } from "./signals/Verdict.ts"

const decodeChecks = Schema.decodeUnknownEffect(Schema.Array(IpCheck))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: IpCheckId })))

/** What PostgreSQL cannot store as text must not cost a whole check. */
const storable = (text: string) => text.replaceAll("\u0000", "\ufffd").toWellFormed()

/** What ends a check: only a pending one, so only once. */
export class IpCheckSettlementRepo extends Context.Service<IpCheckSettlementRepo>()(
  "app/ip-check/IpCheckSettlementRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* PgClient.PgClient

      return {
        /** None when somebody else has ended it, or may by now. */
        complete: (id: IpCheckId, judgement: Judgement, reports: ReadonlyArray<VendorReport>, now: DateTime.Utc) =>
          sql`
            UPDATE ip_check SET status = 'completed', verdict = ${judgement.verdict},
              risk_score = ${judgement.risk_score}, signals = ${sql.json(judgement.signals)},
              vendors = ${sql.json(reports.map(({ row }) => row))}, partial = ${judgement.partial},
              settle_at = NULL, completed_at = ${DateTime.toDate(now)}
            WHERE id = ${id} AND status = 'pending' AND settle_at > ${DateTime.toDate(now)}
            RETURNING *
          `.pipe(
            Effect.flatMap(decodeChecks),
            Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
            Effect.orDie
          ),

        /** Whether it was free; none when it has ended before. */
        fail: (id: IpCheckId) =>
          sql<{ is_free: boolean }>`
            UPDATE ip_check SET status = 'failed', settle_at = NULL WHERE id = ${id} AND status = 'pending'
            RETURNING is_free
          `.pipe(
            Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
            Effect.orDie
          ),

        /** Those that whoever was at work on them has left behind. */
        lapsed: (now: DateTime.Utc, limit: number) =>
          sql`
            SELECT id FROM ip_check WHERE status = 'pending' AND settle_at <= ${DateTime.toDate(now)}
            ORDER BY settle_at LIMIT ${limit}
          `.pipe(Effect.flatMap(decodeIds), Effect.orDie),

        /** Keeps the vendors' answers as they came. */
        keepAnswers: (check_id: IpCheckId, reports: ReadonlyArray<VendorReport>, now: DateTime.Utc) => {
          const received_at = DateTime.toDate(now)
          const answers = reports.flatMap(({ raw, row }) =>
            raw === null ? [] : [{ check_id, vendor: row.vendor, received_at, ...raw, body: storable(raw.body) }]
          )
          return Arr.isArrayNonEmpty(answers)
            ? Effect.orDie(Effect.asVoid(sql`INSERT INTO ip_vendor_answer ${sql.insert(answers)}`))
            : Effect.void
        },

        /** Answers how many of at most `limit` were removed. */
        removeAnswers: (before: DateTime.Utc, limit: number) =>
          sql`
            DELETE FROM ip_vendor_answer WHERE ctid = ANY (ARRAY(
              SELECT ctid FROM ip_vendor_answer WHERE received_at < ${DateTime.toDate(before)} LIMIT ${limit}
            )) RETURNING vendor
          `.pipe(
            Effect.map((removed) => removed.length),
            Effect.orDie
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

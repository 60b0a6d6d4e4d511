import { PgClient } from "@effect/sql-pg"
import { Array as Arr, Context, DateTime, Effect, Layer, Schema } from "effect"
import * as Rows from "../platform/postgres/Rows.ts"
import { IpCheck, IpCheckId } from "./IpCheck.ts"
import type { VendorReport } from "./signals/VendorReport.ts"
import type { Judgement } from "./signals/Verdict.ts"

const check = Rows.first(IpCheck)
const failed = Rows.first(Schema.Struct({ is_free: Schema.Boolean }))
const ids = Rows.all(Schema.Struct({ id: IpCheckId }))

/** Replaces the characters that PostgreSQL cannot store as text. */
const storable = (text: string) => text.replaceAll("\u0000", "\ufffd").toWellFormed()

/** Ends checks. Only a pending check can end, so each ends once. */
export class IpCheckSettlementRepo extends Context.Service<IpCheckSettlementRepo>()(
  "app/ip-check/IpCheckSettlementRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* PgClient.PgClient

      return {
        /** Completes a check. None when the check or its lease has already ended. */
        complete: (id: IpCheckId, judgement: Judgement, reports: ReadonlyArray<VendorReport>, now: DateTime.Utc) =>
          check(sql`
            UPDATE ip_check SET status = 'completed', verdict = ${judgement.verdict},
              risk_score = ${judgement.risk_score}, signals = ${sql.json(judgement.signals)},
              vendors = ${sql.json(reports.map(({ row }) => row))}, partial = ${judgement.partial},
              settle_at = NULL, completed_at = ${DateTime.toDate(now)}
            WHERE id = ${id} AND status = 'pending' AND settle_at > ${DateTime.toDate(now)}
            RETURNING *
          `),

        /** Fails a check and returns its `is_free`. None when the check has already ended. */
        fail: (id: IpCheckId) =>
          failed(sql`
            UPDATE ip_check SET status = 'failed', settle_at = NULL WHERE id = ${id} AND status = 'pending'
            RETURNING is_free
          `),

        /** Lists pending checks whose lease has ended. */
        lapsed: (now: DateTime.Utc, limit: number) =>
          ids(sql`
            SELECT id FROM ip_check WHERE status = 'pending' AND settle_at <= ${DateTime.toDate(now)}
            ORDER BY settle_at LIMIT ${limit}
          `),

        /** Stores the raw answers of the vendors. */
        keepAnswers: (check_id: IpCheckId, reports: ReadonlyArray<VendorReport>, now: DateTime.Utc) => {
          const received_at = DateTime.toDate(now)
          const answers = reports.flatMap(({ raw, row }) =>
            raw === null ? [] : [{ check_id, vendor: row.vendor, received_at, ...raw, body: storable(raw.body) }]
          )
          return Arr.isArrayNonEmpty(answers)
            ? Effect.orDie(Effect.asVoid(sql`INSERT INTO ip_vendor_answer ${sql.insert(answers)}`))
            : Effect.void
        },

        /** Removes at most `limit` answers; returns their number. */
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

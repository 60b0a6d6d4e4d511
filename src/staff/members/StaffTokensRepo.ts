import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { Keyset } from "../Keyset.ts"
import { StaffToken, type StaffTokenId } from "./StaffToken.ts"

interface NewToken extends Omit<StaffToken, "last_used_at"> {
  readonly secret_hash: string
}

export class StaffTokensRepo extends Context.Service<StaffTokensRepo>()("app/staff/StaffTokensRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(StaffToken)
    const one = Rows.one(StaffToken)
    const first = Rows.first(StaffToken)

    return {
      /** Reads one token more than the limit, the newest first, without those that have expired. */
      list: ({ after, limit }: Keyset, now: DateTime.Utc) =>
        all(sql`
          SELECT * FROM staff_token WHERE expires_at > ${DateTime.toDate(now)}
            AND ${after === undefined ? sql`true` : sql`id < ${after}`}
          ORDER BY id DESC LIMIT ${limit + 1}
        `),

      insert: ({ created_at, expires_at, ...token }: NewToken) => {
        const row = { ...token, created_at: DateTime.toDate(created_at), expires_at: DateTime.toDate(expires_at) }
        return one(sql`INSERT INTO staff_token ${sql.insert(row)} RETURNING *`)
      },

      remove: (id: StaffTokenId) => first(sql`DELETE FROM staff_token WHERE id = ${id} RETURNING *`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

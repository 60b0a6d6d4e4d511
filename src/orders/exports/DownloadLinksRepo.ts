import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { DownloadLink, type DownloadLinkId } from "./DownloadLink.ts"

const encode = Schema.encodeEffect(DownloadLink.insert)
const readAll = Rows.all(DownloadLink)
const readOne = Rows.one(DownloadLink)
const readFirst = Rows.first(DownloadLink)
const readCount = Rows.first(Schema.Struct({ count: Schema.Int }))

/** The download links of accounts. A link of another account is not found. */
export class DownloadLinksRepo extends Context.Service<DownloadLinksRepo>()("app/orders/DownloadLinksRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Lists the links of an account, newest first. */
      list: (user_id: UserId) =>
        readAll(sql`SELECT * FROM download_link WHERE user_id = ${user_id} ORDER BY created_at DESC, id DESC`),

      count: (user_id: UserId) =>
        readCount(sql`SELECT count(*)::int AS count FROM download_link WHERE user_id = ${user_id}`).pipe(
          Effect.map(Option.match({ onNone: () => 0, onSome: ({ count }) => count }))
        ),

      insert: (link: typeof DownloadLink.insert.Type) =>
        encode(link).pipe(
          Effect.flatMap((row) => sql`INSERT INTO download_link ${sql.insert(row)} RETURNING *`),
          readOne
        ),

      /** Finds a link whose account is neither deleted nor blocked. */
      findLive: (token_hash: string) =>
        readFirst(sql`
          SELECT l.* FROM download_link l JOIN user_account a ON a.id = l.user_id
          WHERE l.token_hash = ${token_hash} AND a.deleted_at IS NULL AND NOT a.access_blocked
        `),

      markUsed: (id: DownloadLinkId, now: DateTime.Utc) =>
        Effect.orDie(sql`UPDATE download_link SET last_used_at = ${DateTime.toDate(now)} WHERE id = ${id}`),

      /** Deletes a link of the account; false when the account has no such link. */
      remove: (user_id: UserId, id: DownloadLinkId) =>
        Rows.any(sql`DELETE FROM download_link WHERE id = ${id} AND user_id = ${user_id} RETURNING id`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

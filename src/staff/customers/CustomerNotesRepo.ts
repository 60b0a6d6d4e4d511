import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import { type NoteRecord, stored } from "./CustomerRecord.ts"

export class CustomerNotesRepo extends Context.Service<CustomerNotesRepo>()("app/staff/CustomerNotesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(stored.note)

    return {
      insert: (user_id: UserId, note: NoteRecord) =>
        Effect.orDie(
          Effect.flatMap(encode(note), (row) => sql`INSERT INTO customer_note ${sql.insert({ ...row, user_id })}`)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

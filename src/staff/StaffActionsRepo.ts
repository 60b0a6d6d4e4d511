import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import * as Rows from "../platform/postgres/Rows.ts"

const StaffAction = Schema.Struct({ request_hash: Schema.String, answer: Schema.Json })

interface NewAction {
  readonly id: string
  readonly operation: string
  readonly request_hash: string
}

export class StaffActionsRepo extends Context.Service<StaffActionsRepo>()("app/staff/StaffActionsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const first = Rows.first(StaffAction)

    return {
      /** Makes other requests with the key wait until the caller's transaction ends, and finds the action of the key. */
      claim: (id: string) =>
        Effect.andThen(
          Effect.orDie(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`staff_action ${id}`}, 0))`),
          first(sql`SELECT request_hash, answer FROM staff_action WHERE id = ${id}`)
        ),

      insert: Effect.fnUntraced(function* (action: NewAction, answer: Schema.Json) {
        const created_at = DateTime.toDate(yield* DateTime.now)
        yield* sql`INSERT INTO staff_action ${sql.insert({ ...action, answer: sql.json(answer), created_at })}`
      }, Effect.orDie)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

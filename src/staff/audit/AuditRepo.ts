import { Context, Effect, Layer, Schema } from "effect"
import { PgClient } from "@effect/sql-pg"
import { AuditEvent } from "./AuditEvent.ts"

export class AuditRepo extends Context.Service<AuditRepo>()("app/staff/AuditRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const encode = Schema.encodeEffect(AuditEvent)
    const json = (value: unknown) => (value === null ? null : sql.json(value))

    return {
      insert: Effect.fnUntraced(function* (event: AuditEvent) {
        const row = yield* encode(event)
        yield* sql`INSERT INTO audit_event ${sql.insert({ ...row, before: json(row.before), after: json(row.after) })}`
      }, Effect.orDie),

      /** A bug when the caller is in a transaction, which would take the record of a refusal with it. */
      outsideTransaction: Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) =>
        transaction._tag === "None" ? Effect.void : Effect.die(new Error("A refusal is recorded outside a transaction"))
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

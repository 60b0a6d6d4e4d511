import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue } from "effect"

const channel = "credential"

export class CredentialChangesRepo extends Context.Service<CredentialChangesRepo>()(
  "app/accounts/CredentialChangesRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* PgClient.PgClient

      return {
        /**
         * Notifies every instance that listens. The notification comes after those of earlier commits. The commit does not
         * wait for the disk, because it holds a lock of all notifying commits and stores nothing.
         */
        notify: (payload: string) =>
          Effect.asVoid(
            Effect.orDie(sql`SELECT set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${payload})`)
          ),

        /**
         * Runs `began` once it listens, then calls `receive` with the payload of each notification, in the order of the
         * commits. Ends when the connection to the database is lost.
         */
        listen: (reactions: { readonly began: Effect.Effect<void>; readonly receive: (payload: string) => void }) =>
          Effect.scoped(
            Effect.gen(function* () {
              const notifications = yield* sql.listen(channel)
              yield* reactions.began
              return yield* Effect.forever(
                Effect.map(Queue.takeAll(notifications), (taken) =>
                  taken.forEach(({ payload }) => reactions.receive(payload))
                )
              )
            })
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue } from "effect"

const channel = "credential"

export class CredentialChangesRepo extends Context.Service<CredentialChangesRepo>()(
  "app/accounts/CredentialChangesRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* PgClient.PgClient

      return {
        /** Sends a word to every instance that listens, after the changes that are committed already. */
        say: (word: string) => Effect.asVoid(Effect.orDie(sql`SELECT pg_notify(${channel}, ${word})`)),

        /**
         * Runs `began` once it listens, then calls `heard` with the words of triggers and instances in the order of their
         * commits. Ends when the connection to the database is lost.
         */
        listen: (reactions: { readonly began: Effect.Effect<void>; readonly heard: (word: string) => void }) =>
          Effect.scoped(
            Effect.gen(function* () {
              const notifications = yield* sql.listen(channel)
              yield* reactions.began
              return yield* Effect.forever(
                Effect.map(Queue.takeAll(notifications), (taken) =>
                  taken.forEach(({ payload }) => reactions.heard(payload))
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

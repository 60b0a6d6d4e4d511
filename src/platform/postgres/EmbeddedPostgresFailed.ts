import { Effect, Schema } from "effect"

/** Why the program cannot run a database server of its own, and what to do instead. */
export class EmbeddedPostgresFailed extends Schema.TaggedError<EmbeddedPostgresFailed>()("EmbeddedPostgresFailed", {
  reason: Schema.String
}) {
  override get message() {
    return `The embedded PostgreSQL cannot be used: ${this.reason}. Set DATABASE_URL to use another server.`
  }
}

export const attempt = <A>(doing: string, run: () => A): Effect.Effect<A, EmbeddedPostgresFailed> =>
  Effect.try({
    try: run,
    catch: (error) =>
      new EmbeddedPostgresFailed({ reason: `${doing}: ${error instanceof Error ? error.message : String(error)}` })
  })

import { Effect, Schema } from "effect"

/** The program cannot run the embedded database server. The message says why, and what to do instead. */
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

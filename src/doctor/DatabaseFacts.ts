import { Clock, Context, DateTime, Effect, Layer } from "effect"
import * as DatabaseFailure from "../platform/postgres/DatabaseFailure.ts"
import { type DatabaseRow, DatabaseFactsRepo, type Overdue } from "./DatabaseFactsRepo.ts"
import { NotKnown } from "./NotKnown.ts"

/** The facts of the database at the moment of the checks. */
export interface Facts extends Omit<DatabaseRow, "now_millis"> {
  /** The difference between the clocks of the database and of this machine, in seconds. It is at least this large. */
  readonly clock_off_seconds: number
  /** The work that is due for over ten minutes. */
  readonly overdue: ReadonlyArray<Overdue>
}

/** The clock was read between `before` and `after`, so a difference within this time proves nothing. */
export const clockOff = (at: number, before: number, after: number) => Math.max(0, before - at, at - after) / 1000

const whenAnswering = Effect.catchDefect((defect) =>
  DatabaseFailure.isUnavailable(defect) && defect instanceof Error
    ? Effect.fail(new NotKnown({ reason: `The database does not answer (${DatabaseFailure.reasonOf(defect)})` }))
    : Effect.die(defect)
)

export class DatabaseFacts extends Context.Service<DatabaseFacts, { readonly read: Effect.Effect<Facts, NotKnown> }>()(
  "app/doctor/DatabaseFacts"
) {
  /** Reads the facts once, when the first check needs them. */
  static readonly layerNoDeps = Layer.effect(
    DatabaseFacts,
    Effect.gen(function* () {
      const repo = yield* DatabaseFactsRepo
      const read = Effect.gen(function* () {
        // Opens the connection, so that the time of the next query is the query's own.
        const overdue = yield* repo.overdue(yield* DateTime.now)
        const before = yield* Clock.currentTimeMillis
        const { now_millis, ...row } = yield* repo.row
        const after = yield* Clock.currentTimeMillis
        return { ...row, overdue, clock_off_seconds: clockOff(now_millis, before, after) }
      })
      return { read: yield* Effect.cached(whenAnswering(read)) }
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(DatabaseFactsRepo.layer))

  /** For a database that cannot be used. */
  static readonly layerUnknown = (reason: string) =>
    Layer.succeed(this, { read: Effect.fail(new NotKnown({ reason })) })
}

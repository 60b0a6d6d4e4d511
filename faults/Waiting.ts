import { Data, Effect } from "effect"
import type { Instance } from "./Instance.ts"
import type { World } from "./World.ts"

/** The time of a run is over before its end. */
export class GaveUp extends Data.TaggedError("GaveUp")<{ readonly message: string }> {}

const shown = 5

const few = (what: ReadonlyArray<string>) =>
  what.length > shown ? [...what.slice(0, shown), `${what.length - shown} more`] : what

type Process = Pick<Instance, "isUp" | "name">

interface Watched extends Pick<World, "record" | "unsettled"> {
  readonly services: ReadonlyArray<Process>
  readonly gateway: Process
}

/** Names the unfinished work of a run: processes, answers, and rows in a passing state. */
export const waitsFor = ({ gateway, record, services, unsettled }: Watched) =>
  Effect.gen(function* () {
    const down = [...services, gateway].filter(({ isUp }) => !isUp()).map(({ name }) => `${name} is not ready`)
    const open = record.purchases.filter(({ answer }) => answer === undefined).length
    const passing = yield* unsettled.pipe(
      Effect.timeout("10 seconds"),
      Effect.catchCause(() => Effect.succeed(["the database does not answer"]))
    )
    const answers = open === 0 ? [] : [`purchases without an answer: ${open}`]
    return [...down, ...answers, ...few(passing)].join("; ") || "nothing; the machine was too slow"
  })

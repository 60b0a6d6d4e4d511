import { Effect, Queue } from "effect"
import type { SyncOutcome } from "./BlocklistSync.ts"

/** Lists that are due together fail or load together: their outcomes share a line. */
const collected = "5 seconds"

interface Heard {
  readonly id: string
  readonly outcome: SyncOutcome
}

/** Groups ids by what happened to them: `reason (a, b); other (c)`. */
const grouped = (entries: ReadonlyArray<readonly [id: string, what: string]>) =>
  [...Map.groupBy(entries, ([, what]) => what)]
    .map(([what, of]) => `${what} (${of.map(([id]) => id).join(", ")})`)
    .join("; ")

/**
 * Logs the outcomes of syncs, many in a line. A list that fails is named once, and once more when it loads again, however
 * often its publisher is asked between.
 */
export const make = Effect.gen(function* () {
  const heard = yield* Queue.unbounded<Heard>()
  const failing = new Set<string>()

  const tell = Effect.fnUntraced(function* (outcomes: ReadonlyArray<Heard>) {
    const failed: Array<readonly [string, string]> = []
    const back: Array<string> = []
    const loaded: Array<readonly [string, string]> = []
    for (const { id, outcome } of outcomes) {
      if (outcome._tag === "Failed" && !failing.has(id)) failed.push([id, outcome.reason])
      if (outcome._tag === "Failed") failing.add(id)
      if (outcome._tag === "Loaded") loaded.push([id, `${outcome.networks} networks`])
      if ((outcome._tag === "Loaded" || outcome._tag === "Unchanged") && failing.delete(id)) back.push(id)
    }
    if (failed.length > 0)
      yield* Effect.logWarning(
        `Blocklists could not be synced; the service goes on with the copies it has and tries again: ${grouped(failed)}`
      )
    if (back.length > 0) yield* Effect.logInfo(`Blocklists sync again: ${back.join(", ")}`)
    if (loaded.length > 0) yield* Effect.logInfo(`Blocklists loaded: ${grouped(loaded)}`)
  })

  const collect = Effect.gen(function* () {
    const first = yield* Queue.take(heard)
    yield* Effect.sleep(collected)
    yield* tell([first, ...(yield* Queue.clear(heard))])
  })
  yield* Effect.forkScoped(Effect.forever(collect))

  return (id: string, outcome: SyncOutcome) => Queue.offer(heard, { id, outcome })
})

import { Effect, Queue } from "effect"
import type { SyncOutcome } from "./BlocklistSync.ts"

/** The time for which outcomes are collected, so that lists that are due together share a log line. */
const collected = "5 seconds"

interface Heard {
  readonly id: string
  readonly outcome: SyncOutcome
}

/** Groups ids by their outcome: `reason (a, b); other (c)`. */
const grouped = (entries: ReadonlyArray<readonly [id: string, what: string]>) =>
  [...Map.groupBy(entries, ([, what]) => what)]
    .map(([what, of]) => `${what} (${of.map(([id]) => id).join(", ")})`)
    .join("; ")

/**
 * Logs the outcomes of syncs, several per line. A failing list is logged once, and once more when it works again, no
 * matter how often it fails in between.
 */
export type Report = (id: string, outcome: SyncOutcome) => Effect.Effect<void>

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
        `Cannot sync blocklists; using earlier copies, if any, and trying again: ${grouped(failed)}`
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

  const report: Report = (id, outcome) => Effect.asVoid(Queue.offer(heard, { id, outcome }))
  return report
})

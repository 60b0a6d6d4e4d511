import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { SyncOutcome } from "../../../src/ip-check/blocklists/BlocklistSync.ts"
import * as ReportBlocklistSyncs from "../../../src/ip-check/blocklists/ReportBlocklistSyncs.ts"

const failed = (reason: string): SyncOutcome => ({
  _tag: "Failed",
  reason,
  retry_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
})
const unchanged: SyncOutcome = { _tag: "Unchanged", networks: 3 }

/** The log lines of rounds of outcomes. */
const printed = Effect.fnUntraced(function* (rounds: ReadonlyArray<Readonly<Record<string, SyncOutcome>>>) {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  yield* Effect.gen(function* () {
    const report = yield* ReportBlocklistSyncs.make
    for (const outcomes of rounds) {
      for (const [id, outcome] of Object.entries(outcomes)) yield* report(id, outcome)
      yield* TestClock.adjust("1 minute")
    }
  }).pipe(Effect.scoped, Effect.provide(Logger.layer([logger])))
  return lines
})

describe("The log of blocklist syncs", () => {
  it.effect("has one line when all publishers are out of reach, and one when they answer again", () =>
    Effect.gen(function* () {
      const away = { a: failed("ENOTFOUND"), b: failed("ENOTFOUND"), c: failed("timeout") }
      assert.deepStrictEqual(yield* printed([away, away, away, { a: unchanged, b: unchanged }, away]), [
        "Cannot sync blocklists; using earlier copies, if any, and trying again: ENOTFOUND (a, b); timeout (c)",
        "Blocklists sync again: a, b",
        "Cannot sync blocklists; using earlier copies, if any, and trying again: ENOTFOUND (a, b)"
      ])
    })
  )

  it.effect("names the lists that loaded together in one line", () =>
    Effect.gen(function* () {
      const loaded = { _tag: "Loaded", networks: 2, special: 0 } as const
      assert.deepStrictEqual(yield* printed([{ a: loaded, b: loaded }]), ["Blocklists loaded: 2 networks (a, b)"])
    })
  )
})

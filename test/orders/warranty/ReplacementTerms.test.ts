import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { Vantage } from "../../../src/orders/warranty/Probe.ts"
import { replacementTerms } from "../../../src/orders/warranty/ReplacementTerms.ts"

const now = DateTime.makeUnsafe("2026-03-10T12:00:00Z")
const ago = (duration: Parameters<typeof DateTime.subtract>[1]) => DateTime.subtract(now, duration)

const order = (delivered: DateTime.Utc | null, mode = "static") => ({
  proxy_type: "mobile" as const,
  mode,
  cycle_started_at: delivered
})
const failed = (failed_at: DateTime.Utc | null, vantage: Vantage = "centre") => [{ failed_at, vantage }]
const old = order(ago({ days: 3 }))

describe("A replacement by the warranty", () => {
  it.each([
    ["fails now", { order: old, health: failed(now) }, true, "failing"],
    ["failed 10 minutes ago", { order: old, health: failed(ago({ minutes: 10 })) }, true, "failing"],
    ["failed 11 minutes ago", { order: old, health: failed(ago({ minutes: 11 })) }, false, "not_failing"],
    ["fails only from its own node", { order: old, health: failed(now, "self") }, false, "not_failing"],
    ["was never tried", { order: old, health: [] }, false, "not_failing"],
    ["was delivered just now", { order: order(now), health: failed(null) }, true, "first_day"],
    ["was delivered 24 hours ago", { order: order(ago({ hours: 24 })), health: [] }, false, "not_failing"],
    ["was replaced on its first day", { order: order(now), health: [], isReplaced: true }, false, "not_failing"],
    ["was replaced, and fails", { order: old, health: failed(now), isReplaced: true }, true, "failing"],
    ["rotates", { order: order(now, "rotating"), health: failed(now) }, false, "mobile"],
    [
      "has a vendor without other addresses",
      { order: old, health: failed(now), canReplace: false },
      false,
      "not_offered"
    ]
  ] as const)("of a proxy that %s", (_, facts, free, reason) => {
    assert.deepStrictEqual(replacementTerms({ isReplaced: false, canReplace: true, ...facts }, now), { free, reason })
  })
})

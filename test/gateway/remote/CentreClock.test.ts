import { assert, it } from "@effect/vitest"
import { onTestFinished, vi } from "vitest"
import { CentreClock } from "../../../src/gateway/remote/CentreClock.ts"

const hour = 3_600_000

it("believes the answer with the shortest round trip", () => {
  const clock = new CentreClock()
  clock.hear(1_000_000, 0, 2_000)
  assert.strictEqual(clock.offset, 999_000)
  clock.hear(1_000_500, 2_000, 2_010)
  assert.strictEqual(clock.offset, 1_000_500 - 2_005)
  clock.hear(1_100_000, 3_000, 5_000)
  assert.strictEqual(clock.offset, 1_000_500 - 2_005)
})

it("does not go below the last known time, when the host begins in 1970", () => {
  onTestFinished(() => void vi.restoreAllMocks())
  vi.spyOn(Date, "now").mockReturnValue(5_000)
  const clock = new CentreClock(1_900_000_000_000)
  assert.strictEqual(clock.now, 1_900_000_000_000)
})

it("gives an hour of grace when it has heard nothing for a minute", () => {
  onTestFinished(() => void vi.restoreAllMocks())
  let own = 0
  vi.spyOn(performance, "now").mockImplementation(() => own)
  const clock = new CentreClock()
  assert.isTrue(clock.isQuiet)
  clock.hear(10_000, 0, 0)
  assert.strictEqual(clock.end(50_000), 40_000)
  own = 60_001
  assert.strictEqual(clock.end(50_000), 40_000 + hour)
})

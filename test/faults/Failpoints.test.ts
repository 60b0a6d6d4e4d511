import { assert, describe, it } from "@effect/vitest"
import { Failpoints, modes } from "../../faults/Failpoints.ts"
import { Random } from "../../faults/Random.ts"

const minute = 60_000

/** Failpoints on a clock that is put forward. One point has failed in each way, another in none. */
const known = (millis: number) => {
  const clock = { now: 0 }
  const failpoints = new Failpoints(new Random(1), () => clock.now)
  failpoints.aim("each", millis)
  failpoints.judge("new", [])
  for (const mode of modes) {
    assert.strictEqual(failpoints.judge("old", modes), mode)
    clock.now += 1000
  }
  return { clock, failpoints }
}

/** The number of faults at a hundred points, a second apart. */
const faultsAt = (point: string, { clock, failpoints }: ReturnType<typeof known>) =>
  Array.from({ length: 100 }, () => {
    clock.now += 1000
    return failpoints.judge(point, modes)
  }).filter((verdict) => verdict !== "pass").length

it("Failpoints that are aimed at by name fail in the wanted ways, where these are allowed", () => {
  const failpoints = new Failpoints(new Random(1))
  failpoints.aim({ points: /^COMMIT/, share: 1, modes: ["lose answer"] })
  assert.strictEqual(failpoints.judge("COMMIT (UPDATE wallet)", modes), "lose answer")
  assert.strictEqual(failpoints.judge("UPDATE wallet", modes), "pass")
  assert.strictEqual(failpoints.judge("COMMIT (UPDATE wallet)", ["kill after"]), "pass")
  failpoints.aim({ points: /^COMMIT/, share: 1 })
  assert.strictEqual(failpoints.judge("COMMIT (UPDATE wallet)", ["kill after"]), "kill after")
})

describe("The failpoints of a run of ten minutes", () => {
  it("spare points that have failed in each way, for three quarters of the time", () => {
    const run = known(10 * minute)
    run.clock.now = 5.5 * minute
    assert.isTrue(run.failpoints.isThorough)
    assert.strictEqual(faultsAt("old", run), 0)
  })

  it("fail at random in the rest of the time, in ways that are left first", () => {
    const run = known(10 * minute)
    run.clock.now = 7.5 * minute
    assert.isFalse(run.failpoints.isThorough)
    const faults = faultsAt("old", run)
    assert.isAbove(faults, 10)
    assert.isBelow(faults, 50)
    assert.strictEqual(run.failpoints.left, modes.length)
    faultsAt("new", run)
    assert.strictEqual(run.failpoints.left, 0)
  })

  it("fail at random as soon as each has failed in each way", () => {
    const run = known(10 * minute)
    assert.isAbove(faultsAt("new", run), modes.length)
    assert.isFalse(run.failpoints.isThorough)
    assert.isAbove(faultsAt("old", run), 10)
  })
})

import { assert, beforeEach, describe, it, onTestFinished, vi } from "@effect/vitest"
import { RateLimit } from "../../../src/gateway/traffic/RateLimit.ts"

const chunk = 64 * 1024

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

/** A connection that always has the next chunk. */
const greedy = (limit: RateLimit) => {
  let held = chunk
  const link = {
    passed: 0,
    resumeTraffic: () => {
      for (;;) {
        const passed = limit.take(held, link)
        link.passed += passed
        if (passed < held) return void (held -= passed)
        held = chunk
      }
    }
  }
  link.resumeTraffic()
  return link
}

const within = (found: number, expected: number, share: number) =>
  assert.isBelow(Math.abs(found / expected - 1), share, `${found} instead of ${expected}`)

describe("A rate limit", () => {
  it.each([125_000, 1_250_000, 125_000_000])(
    "passes a burst, and then exactly the rate of %d bytes a second",
    (rate) => {
      const link = greedy(new RateLimit(rate))
      const burst = Math.max(chunk, rate / 4)
      assert.strictEqual(link.passed, burst)
      vi.advanceTimersByTime(10_000)
      within(link.passed - burst, rate * 10, 0.005)
    }
  )

  it("gives each of its connections a like part", () => {
    const limit = new RateLimit(1_250_000)
    const links = [greedy(limit), greedy(limit), greedy(limit)]
    const before = links.map(({ passed }) => passed)
    vi.advanceTimersByTime(10_000)
    for (const [index, { passed }] of links.entries()) within(passed - before[index]!, 12_500_000 / 3, 0.05)
  })

  it("lets nobody overtake the connections that wait", () => {
    const limit = new RateLimit(125_000)
    const first = greedy(limit)
    const begun = first.passed
    vi.advanceTimersByTime(19)
    const second = greedy(limit)
    assert.strictEqual(second.passed, 0)
    vi.advanceTimersByTime(1)
    assert.isAbove(first.passed, begun)
    assert.strictEqual(second.passed, 0)
  })

  it("changes its rate for the connections that wait, and lets all go on when it ends", () => {
    const limit = new RateLimit(125_000)
    const link = greedy(limit)
    vi.advanceTimersByTime(1_000)
    const before = link.passed
    limit.set(1_250_000)
    vi.advanceTimersByTime(1_000)
    within(link.passed - before, 1_250_000, 0.05)
    let resumed = 0
    const waiting = { resumeTraffic: () => void resumed++ }
    limit.take(chunk, waiting)
    limit.end()
    assert.strictEqual(resumed, 1)
  })

  it("passes what it got back, and forgets a connection that wants nothing any more", () => {
    const limit = new RateLimit(125_000)
    const gone = { resumeTraffic: () => {} }
    assert.strictEqual(limit.take(chunk, gone), chunk)
    assert.strictEqual(limit.take(chunk, gone), 0)
    limit.giveBack(1_000)
    vi.advanceTimersByTime(20)
    const link = { resumeTraffic: () => {} }
    assert.strictEqual(limit.take(chunk, link), 3_500)
  })
})

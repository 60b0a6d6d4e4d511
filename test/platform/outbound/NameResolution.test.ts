import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { resolveBy } from "../../../src/platform/outbound/NameResolution.ts"

const after = (millis: number, answer: ReadonlyArray<string> | Error) =>
  new Promise<ReadonlyArray<string>>((settle, reject) => {
    setTimeout(() => (answer instanceof Error ? reject(answer) : settle(answer)), millis)
  })

type Answer = readonly [millis: number, answer: ReadonlyArray<string> | Error]

/** The addresses that the resolver returns, and the milliseconds until then. */
const resolved = async (ipv4: Answer, ipv6: Answer) => {
  const before = Date.now()
  const resolve = resolveBy({ resolve4: () => after(...ipv4), resolve6: () => after(...ipv6) })
  const answer = resolve("a.test").then((addresses) => [Date.now() - before, addresses] as const)
  await vi.advanceTimersByTimeAsync(60_000)
  return await answer
}

const unasked = () => Promise.reject(new Error("asked"))

const none = new Error("ENODATA")
const never = [50_000, none] as const

describe("Resolving a name", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each<[string, Answer, Answer, number, Array<string>]>([
    [
      "returns the addresses of both families",
      [20, ["8.8.8.8"]],
      [30, ["2606:4700::1"]],
      30,
      ["8.8.8.8", "2606:4700::1"]
    ],
    [
      "returns the addresses of the only family that the name has",
      [20, none],
      [2_500, ["2606:4700::1"]],
      2_500,
      ["2606:4700::1"]
    ],
    ["returns no address when the name has none", [20, none], [30, none], 30, []],
    ["waits at most a second for IPv6", [20, ["8.8.8.8"]], [1_021, ["2606:4700::1"]], 1_020, ["8.8.8.8"]],
    ["waits at most a second for IPv4", never, [20, ["2606:4700::1"]], 1_020, ["2606:4700::1"]],
    ["ends within four seconds", [2_999, ["8.8.8.8"]], never, 3_999, ["8.8.8.8"]],
    ["returns no address when no server answers within three seconds", never, never, 3_000, []]
  ])("%s", async (_, ipv4, ipv6, millis, addresses) => {
    assert.deepStrictEqual(await resolved(ipv4, ipv6), [millis, addresses])
  })

  it("asks no DNS server for localhost", async () => {
    const resolve = resolveBy({ resolve4: unasked, resolve6: unasked })
    for (const name of ["localhost", "a.LOCALHOST."]) assert.deepStrictEqual(await resolve(name), ["127.0.0.1"])
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Refusal } from "../../../src/gateway/admission/Refusal.ts"
import { RefusalLog } from "../../../src/gateway/admission/RefusalLog.ts"

const bare = { proxy_id: "a", reason: "ended", source: null, host: null, port: null } as const
const from = (source: string, proxy_id = "a") =>
  ({ proxy_id, reason: "wrong_credentials", source, host: null, port: null }) as const
const noon = Date.UTC(2027, 0, 31, 12)

describe("RefusalLog", () => {
  it("counts equal refusals of a day together", () => {
    const log = new RefusalLog()
    for (const minutes of [0, 1, 2]) log.add(from("192.0.2.1"), noon + minutes * 60_000)
    log.add(from("192.0.2.2"), noon)
    log.add(from("192.0.2.1"), noon + 86_400_000)
    const taken = log.take(10)
    assert.deepStrictEqual(
      taken.map(({ count, day, source }) => [day, source, count]),
      [
        ["2027-01-31", "192.0.2.1", 3],
        ["2027-01-31", "192.0.2.2", 1],
        ["2027-02-01", "192.0.2.1", 1]
      ]
    )
    assert.deepInclude(taken[0], { first_at: noon, last_at: noon + 120_000 })
    assert.isTrue(log.isEmpty)
  })

  it("counts a client without the address, when the database could not record it", () => {
    const log = new RefusalLog()
    for (const source of ["", "fe80::1%eth0", "2001:db8::1"]) log.refused("a", Refusal.noCredentials, source, undefined)
    assert.deepStrictEqual(
      log.take(10).map(({ count, source }) => [source, count]),
      [
        [null, 2],
        ["2001:db8::1", 1]
      ]
    )
  })

  it("keeps a bounded number of clients of one proxy, and counts the others by their reason", () => {
    const log = new RefusalLog()
    for (let index = 0; index < 150; index++) log.add(from(`192.0.2.${index}`), noon)
    for (let index = 0; index < 150; index++) log.add(from(`192.0.2.${index}`), noon)
    log.add(from("192.0.2.7", "b"), noon)
    const taken = log.take(1_000)
    assert.lengthOf(taken, 102)
    assert.deepInclude(taken[100], { proxy_id: "a", source: null, count: 100 })
    assert.strictEqual(taken[0]?.count, 2)
    log.add(from("192.0.2.200"), noon)
    assert.strictEqual(log.take(10)[0]?.source, "192.0.2.200")
  })

  it("keeps a bounded number of counts, counts the rest, and takes back what was not written", () => {
    const log = new RefusalLog()
    for (let index = 0; index < 10_003; index++) log.add({ ...bare, proxy_id: `${index}` }, noon)
    assert.strictEqual(log.takeDropped(), 3)
    assert.strictEqual(log.takeDropped(), 0)
    const taken = log.take(2)
    log.add({ ...bare, proxy_id: "0" }, noon + 1)
    log.giveBack(taken)
    const all = log.take(20_000)
    assert.lengthOf(all, 10_000)
    assert.deepInclude(
      all.find(({ proxy_id }) => proxy_id === "0"),
      { count: 2, last_at: noon + 1 }
    )
  })
})

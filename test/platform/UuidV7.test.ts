import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import * as UuidV7 from "../../src/platform/UuidV7.ts"

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("Ids of version 7", () => {
  afterEach(() => vi.restoreAllMocks())

  it("sort by their creation, also when a millisecond has more of them than it can count", () => {
    const ids = Array.from({ length: 50_000 }, UuidV7.make)
    assert.isTrue(ids.every((id, n) => version7.test(id) && (n === 0 || id > ids[n - 1]!)))
    assert.strictEqual(new Set(ids.map((id) => id.slice(19))).size, ids.length)
  })

  it("begin with the time, in milliseconds", () => {
    const now = Date.now() + 60_000
    vi.spyOn(Date, "now").mockReturnValue(now)
    const id = UuidV7.make()
    assert.match(id, version7)
    assert.strictEqual(Number.parseInt(id.slice(0, 13).replace("-", ""), 16), now)
  })
})

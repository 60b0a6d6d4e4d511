import { assert, describe, it } from "@effect/vitest"
import { StickyExits } from "../../../src/gateway/ports/StickyExits.ts"

const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
const session = (name: string, minutes = 10) => ({ name, minutes })

describe("StickyExits", () => {
  it("picks another address for each connection, and keeps that of a session for its time", () => {
    const exits = new StickyExits()
    const first = exits.pick("a", addresses, session("s"), 0)
    const others = [1, 2, 3, 4].map(() => exits.pick("a", addresses, undefined, 0))
    for (const [index, ip] of others.slice(1).entries()) assert.notStrictEqual(ip, others[index])
    assert.sameMembers([...new Set(others)], addresses)
    assert.strictEqual(exits.pick("a", addresses, session("s"), 600_000 - 1), first)
    const next = exits.pick("a", addresses, session("s"), 600_000)
    assert.strictEqual(exits.pick("a", addresses, session("s", 1), 1_199_999), next)
  })

  it("gives a session another address when its own is not sold any more, and none without addresses", () => {
    const exits = new StickyExits()
    const first = exits.pick("a", addresses, session("s"), 0)
    const left = addresses.filter((ip) => ip !== first)
    assert.include(left, exits.pick("a", left, session("s"), 1))
    assert.isUndefined(exits.pick("a", [], session("s"), 1))
  })

  it("keeps proxies apart, and forgets the sessions of one", () => {
    const exits = new StickyExits()
    const own = exits.pick("a", addresses, session("s"), 0)
    exits.pick("b", addresses, undefined, 0)
    const another = exits.pick("b", addresses, session("s"), 0)
    assert.notStrictEqual(own, another)
    exits.pick("a", addresses, session("t"), 0)
    exits.forget("a")
    exits.pick("a", addresses, undefined, 1)
    assert.notStrictEqual(exits.pick("a", addresses, session("s"), 1), own)
    assert.strictEqual(exits.pick("b", addresses, session("s"), 1), another)
  })

  it("keeps a bounded number of sessions", () => {
    const exits = new StickyExits()
    const first = exits.pick("a", addresses, session("0"), 0)
    for (let index = 1; index < 1_000; index++) exits.pick("a", addresses, session(`${index}`), 0)
    assert.strictEqual(exits.pick("a", addresses, session("0"), 1), first)
    exits.pick("a", addresses, session("1000"), 1)
    // The first session has ended, so its name takes the next address in turn.
    assert.strictEqual(exits.pick("a", addresses, session("0"), 1), addresses[1_001 % 3])
    for (let proxy = 0; proxy < 99; proxy++)
      for (let index = 0; index < 1_000; index++) exits.pick(`${proxy}`, addresses, session(`${index}`), 1)
    const late = [exits.pick("late", addresses, session("s"), 2), exits.pick("late", addresses, session("s"), 2)]
    assert.notStrictEqual(late[0], late[1])
    exits.forget("a")
    assert.strictEqual(exits.pick("late", addresses, session("s"), 2), exits.pick("late", addresses, session("s"), 2))
  })
})

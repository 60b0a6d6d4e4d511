import { assert, describe, it } from "@effect/vitest"
import { readUsername } from "../../../src/gateway/admission/SessionNames.ts"

const proxy = {
  logins: [
    { username: "user", password: "x" },
    { username: "my-session-a", password: "x" }
  ],
  session_minutes: 10,
  session_minutes_most: 60
} as const

describe("A username", () => {
  it.each([
    ["user", "user", undefined],
    ["user-session-abc123", "user", { name: "abc123", minutes: 10 }],
    ["user-session-abc123-ttl-5", "user", { name: "abc123", minutes: 5 }],
    ["user-session-abc123-ttl-0", "user", { name: "abc123", minutes: 1 }],
    ["user-session-abc123-ttl-99999", "user", { name: "abc123", minutes: 60 }],
    ["my-session-a", "my-session-a", undefined],
    ["my-session-a-session-b", "my-session-a", { name: "b", minutes: 10 }],
    ["user-session-", "user-session-", undefined],
    ["user-session-a-ttl-x", "user-session-a-ttl-x", undefined],
    ["user-session-a b", "user-session-a b", undefined],
    [`user-session-${"a".repeat(33)}`, `user-session-${"a".repeat(33)}`, undefined],
    ["-session-a", "-session-a", undefined]
  ] as const)("%s is read", (given, username, session) => {
    assert.deepStrictEqual(readUsername(proxy, given), { username, ...(session && { session }) })
  })

  it("stays whole at a proxy without sessions", () => {
    const plain = { ...proxy, session_minutes: null, session_minutes_most: null }
    assert.deepStrictEqual(readUsername(plain, "user-session-a"), { username: "user-session-a" })
  })
})

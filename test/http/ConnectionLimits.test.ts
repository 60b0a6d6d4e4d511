import { assert, it } from "@effect/vitest"
import { connectionsOf, unreadBytesOf } from "../../src/http/ConnectionLimits.ts"

it("The limit of connections leaves files for other purposes", () => {
  assert.deepStrictEqual([256, 1_024, 4_096, 20_000, Infinity].map(connectionsOf), [128, 512, 3_584, 10_000, 10_000])
})

it("The limit of unread bytes leaves memory for other purposes", () => {
  const mebibytes = [512, 1_024, 8_192].map((memory) => unreadBytesOf(memory * 1024 ** 2) / 1024 ** 2)
  assert.deepStrictEqual(mebibytes, [256, 256, 2_048])
})

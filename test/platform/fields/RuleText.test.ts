import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { networkOf } from "../../../src/platform/fields/RuleText.ts"

describe("The network of a rule", () => {
  it.each([
    ["203.0.113.0/24", "203.0.113.0/24"],
    ["203.0.113.7", "203.0.113.7/32"],
    ["2001:db8::/32", "2001:db8::/32"],
    ["::ffff:203.0.113.7", "203.0.113.7/32"],
    ["::ffff:203.0.113.0/120", "203.0.113.0/24"]
  ])("reads %s as %s", (text, network) => {
    assert.deepStrictEqual(networkOf(text), Option.some(network))
  })
})

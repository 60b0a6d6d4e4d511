import { assert, describe, it } from "@effect/vitest"
import { networksOf } from "../../../src/platform/requests/SourceNetworks.ts"

describe("SourceNetworks", () => {
  it.each([
    ["203.0.113.77", "203.0.113.77", "203.0.113.0/24"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
    ["2001:db8::5", "2001:db8::/64", "2001:db8::/48"],
    ["2001:db8:1::2:3:4:5", "2001:db8:1::/64", "2001:db8:1::/48"],
    ["::1", "::/64", "::/48"],
    ["fe80::1%eth0", "fe80::/64", "fe80::/48"]
  ])("finds the networks of %s", (address, source, network) => {
    assert.deepStrictEqual(networksOf(address), { source, network })
  })
})

import { assert, describe, it } from "@effect/vitest"
import { gatewayOffers, type GatewayStock } from "../../src/gateway/GatewayOffers.ts"

const stock: GatewayStock = { hasFreePort: true, exitAddresses: [], held: new Set() }
const offers = gatewayOffers(stock)

describe("The offers of the gateway", () => {
  it("have unique ids", () => {
    assert.strictEqual(new Set(offers.map(({ external_id }) => external_id)).size, offers.length)
  })

  it("contain unlimited datacenter proxies in six countries, for both IP versions", () => {
    for (const ip_version of ["IPv4", "IPv6"]) {
      const found = offers.filter((offer) => offer.kind === "datacenter" && offer.ip_version === ip_version)
      assert.sameMembers(
        found.map(({ country_code }) => country_code),
        ["US", "DE", "GB", "FR", "NL", "JP"]
      )
      for (const { options } of found) {
        assert.isTrue(options.every(({ bandwidth_gb }) => bandwidth_gb === null))
        assert.deepStrictEqual(
          options.map(({ period_days, period_months }) => [period_days, period_months]),
          [
            [30, 1],
            [90, 3],
            [180, 6],
            [360, 12]
          ]
        )
      }
    }
  })

  it("contain residential proxies by region and city, and mobile proxies by three tariffs", () => {
    const residential = offers.filter(({ kind }) => kind === "residential")
    assert.lengthOf(residential, 4)
    for (const { locations, options, price_per_gb } of residential) {
      assert.isNotEmpty(locations)
      assert.isTrue(options.every(({ bandwidth_gb, period_months }) => bandwidth_gb === 50 * period_months))
      assert.isTrue(price_per_gb.USD !== null && price_per_gb.USD > 0n)
    }
    const mobile = offers.filter(({ kind }) => kind === "mobile")
    assert.lengthOf(mobile, 4)
    for (const { mode, options } of mobile) {
      assert.strictEqual(mode, "rotating")
      assert.deepStrictEqual(
        options.map(({ bandwidth_gb, period_days }) => [period_days, bandwidth_gb]),
        [
          [1, 3],
          [7, 20],
          [30, 100]
        ]
      )
    }
  })

  it("cost less per month for longer periods, and are not all sold for stars", () => {
    for (const { options } of offers.filter(({ mode }) => mode === "static")) {
      const monthly = options.map(({ period_months, prices }) => Number(prices.USD) / period_months)
      assert.deepStrictEqual(
        monthly,
        monthly.toSorted((a, b) => b - a)
      )
      assert.deepStrictEqual(
        options.map(({ prices }) => prices.STAR === null),
        [false, false, false, true]
      )
    }
  })

  it("state that the machine's own address is used when no exit address is configured", () => {
    assert.isTrue(offers.every(({ description, is_available }) => is_available && /own machine's/.test(description)))
    const bound = gatewayOffers({
      ...stock,
      exitAddresses: [{ country_code: "US", ip_version: "IPv4", ip: "198.51.100.7" }]
    })
    assert.isFalse(bound.some(({ description }) => /own machine's/.test(description)))
    assert.sameMembers(
      bound.filter(({ is_available }) => is_available).map(({ external_id }) => external_id),
      ["datacenter-ipv4-us", "residential-ipv4-us", "mobile-ipv4-us"]
    )
  })
})

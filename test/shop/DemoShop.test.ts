import { assert, describe, it } from "@effect/vitest"
import { adopt } from "../../src/shop/FirstShop.ts"
import { fileOf, rowsOf } from "../../src/shop/ShopRows.ts"
import { demo } from "../support/GatewayShop.ts"

const rows = rowsOf(demo.shop)
const offers = rows.articles

describe("The demo shop", () => {
  it("is the same file again when it is exported", () => {
    assert.deepStrictEqual(rowsOf(fileOf(rows)), rows)
  })

  it("contains unlimited datacenter proxies in six countries, for both IP versions", () => {
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

  it("contains residential proxies by region and city, and mobile proxies by three tariffs", () => {
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

  it("costs less per month for longer periods, and is not all sold for stars", () => {
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

  it("takes the addresses of GATEWAY_EXIT_IPS for datacenter proxies, and keeps the other articles for renewals", () => {
    const exits = [
      { country_code: "US", ip_version: "IPv4" as const, ip: "198.51.100.7" },
      { country_code: "PL", ip_version: "IPv6" as const, ip: "2001:db8::1" }
    ]
    const { addresses, articles, pools } = rowsOf(adopt(demo.shop, exits))
    assert.deepStrictEqual(addresses, [
      { ip: "198.51.100.7", pool: "us-datacenter" },
      { ip: "2001:db8::1", pool: "pl-datacenter" }
    ])
    assert.deepInclude(pools, { name: "pl-datacenter", kind: "datacenter", country_code: "PL", uses_machine: false })
    assert.deepStrictEqual(
      articles.flatMap(({ id, state }) => (state === "on" ? id : [])),
      ["datacenter-ipv4-us"]
    )
    assert.isTrue(articles.every(({ state }) => state !== "off"))
  })
})

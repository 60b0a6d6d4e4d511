import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { read } from "../../src/shop/ReadShopFile.ts"
import { Shop } from "../../src/shop/Shop.ts"
import type { OfferRow } from "../../src/shop/ShopRepo.ts"
import { unused } from "../../src/shop/ShopRules.ts"
import { apply, changeOf, faultsOf, services, text } from "./ShopTesting.ts"

const ruled = (...rules: ReadonlyArray<string>) =>
  `${text}prices:\n${rules.map((rule) => `  - { ${rule} }\n`).join("")}`
const first = ruled("x").split("\n").length - 1

layer(services)("The rules of a shop", (it) => {
  it.effect("are refused when they name a vendor or an own article that there is not, with what there is", () =>
    Effect.gen(function* () {
      yield* apply(text)
      const file = ruled(
        "vendor: iproyall, markup: 50%",
        "vendor: Gateway, markup: 50%",
        "vendor: brightdata, markup: 50%",
        "vendor: gateway, article: dc-uss, markup: 50%",
        "vendor: gateway, article: dc-us, markup: 50%",
        "vendor: proxy-seller, article: dc-uss, markup: 50%"
      )
      const vendors = "the vendors are gateway, iproyal, proxy-seller"
      const faults = [
        `${first} prices.0.vendor: There is no vendor iproyall (did you mean iproyal?); ${vendors}`,
        `${first + 1} prices.1.vendor: There is no vendor Gateway (did you mean gateway?); ${vendors}`,
        `${first + 2} prices.2.vendor: There is no vendor brightdata; ${vendors}`,
        `${first + 3} prices.3.article: There is no article dc-uss (did you mean dc-us?); the articles are dc-de, dc-us`
      ]
      assert.deepStrictEqual(yield* faultsOf(file), faults)
      const prices = { ...changeOf(file), isPricesOnly: true }
      const refused = yield* Effect.flip(Shop.use((shop) => shop.apply(prices)))
      assert.strictEqual(refused.faults.length, faults.length)
    })
  )

  it.effect("may name an article that the file has no more, because its running orders are extended", () =>
    Effect.gen(function* () {
      yield* apply(text)
      const without = text
        .split("\n")
        .filter((line) => !line.startsWith("  dc-de:"))
        .join("\n")
      const rules = ruled("vendor: gateway, article: dc-de, markup: 10%").slice(text.length)
      yield* apply(without)
      yield* apply(without + rules)
    })
  )
})

const offer = (provider: string, external_id: string, country_code: string, period_days = 30): OfferRow =>
  ({
    provider,
    external_id,
    kind: "datacenter",
    country_code,
    renewable: true,
    options: [{ period_days }]
  }) as unknown as OfferRow

const offers = [
  offer("gateway", "dc-us", "US"),
  offer("iproyal", "3:1", "US"),
  offer("iproyal", "3:2", "DE", 90),
  { ...offer("proxy-seller", "ipv4:USA", "US"), renewable: false }
]

describe("A rule without an offer", () => {
  it.each([
    ["markup: 5%", undefined],
    ["country: US, markup: 5%", undefined],
    ["vendor: iproyal, country: DE, days: 90, markup: 5%", undefined],
    ["country: FR, markup: 5%", "country is DE, US, not FR"],
    ["kind: mobile, country: FR, markup: 5%", "kind is datacenter, not mobile"],
    ["vendor: gateway, country: DE, markup: 5%", "with vendor gateway, country is US, not DE"],
    [
      'vendor: iproyal, article: "3:9", markup: 5%',
      "with vendor iproyal, article is 3:1, 3:2, not 3:9 (did you mean 3:1?)"
    ],
    ["vendor: iproyal, country: DE, days: 30, markup: 5%", "with vendor iproyal, country DE, days is 90, not 30"],
    ["days: 31, markup: 5%", "days is 30, 90, not 31"],
    ["vendor: proxy-seller, markup: 5%", "it has no offers of proxy-seller; start the service with proxy-seller in"]
  ])("says what there is instead: %s", (rule, told) => {
    const [found] = unused(Result.getOrThrow(read(ruled(rule))), offers)
    assert.strictEqual(found?.line, told === undefined ? undefined : first)
    if (told !== undefined)
      assert.match(found?.reason ?? "", new RegExp(`matches this rule: ${RegExp.escape(told)}(?:$| PROVIDERS)`))
  })

  it("is named once the catalog is empty, and lists at most ten values", () => {
    const wanted = Result.getOrThrow(read(ruled("vendor: iproyal, article: x, markup: 5%")))
    assert.include(unused(wanted, [])[0]?.reason, "it is empty")
    const many = Array.from({ length: 12 }, (_, index) => offer("iproyal", `${index + 1}:1`, "US"))
    assert.include(unused(wanted, many)[0]?.reason, "9:1, 10:1 and 2 more (prices list), not x")
  })
})

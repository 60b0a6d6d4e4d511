import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fs from "node:fs"
import { read } from "../../src/shop/ReadShopFile.ts"

const example = fs.readFileSync(new URL("../../shop.example.yaml", import.meta.url), "utf8")

const shop = (change: (text: string) => string = (text) => text) =>
  change(`version: 1
pools:
  us-dc: { country: US, kind: datacenter, exits: [203.0.113.6, 203.0.113.7] }
  de-mobile: { country: DE, kind: mobile, exits: machine }
articles:
  dc-us:
    pool: us-dc
    mode: static
    ip_version: IPv4
    name: Datacenter
    periods:
      - { days: 30, months: 1, name: 1 month, usd: 1.80, star: 139, cost: "0.40" }
  mobile-de:
    pool: de-mobile
    mode: rotating
    ip_version: IPv4
    name: Mobile
    periods: [{ days: 1, name: 1 day, gb: 3, usd: 2.5 }]
    state: renew_only
prices:
  - { vendor: iproyal, kind: residential, markup: 25%, floor: 1.00, round: 0.05, star_rate: 0.013 }
  - { vendor: iproyal, markup: -2.5% }
`)

const faultsOf = (text: string) =>
  Result.match(read(text), {
    onSuccess: () => [],
    onFailure: (faults) => faults.map(({ field, line, reason }) => `${line} ${field}: ${reason}`)
  })

describe("A shop file", () => {
  it("is read with exact amounts", () => {
    const {
      shop: { articles, pools, prices }
    } = Result.getOrThrow(read(shop()))
    assert.deepStrictEqual(articles["dc-us"]?.periods, [
      { days: 30, months: 1, name: "1 month", usd: 1_800_000n, star: 139n, cost: 400_000n }
    ])
    assert.deepStrictEqual(pools["us-dc"]?.exits, ["203.0.113.6", "203.0.113.7"])
    assert.deepStrictEqual(prices, [
      { vendor: "iproyal", kind: "residential", markup: 2500, floor: 1_000_000n, round: 50_000n, star_rate: 13_000n },
      { vendor: "iproyal", markup: -250 }
    ])
  })

  it("of the example is right, and sells 20 articles", () => {
    assert.deepStrictEqual(faultsOf(example), [])
    assert.lengthOf(Object.keys(Result.getOrThrow(read(example)).shop.articles), 20)
  })

  it("may use one anchor for hundreds of articles", () => {
    const article = "{ pool: us-dc, mode: static, ip_version: IPv4, name: Datacenter, periods: *all }"
    const many = Array.from({ length: 300 }, (_, index) => `  dc-${index}: ${article}\n`).join("")
    const text = shop((text) =>
      text.replace("    periods:\n", "    periods: &all\n").replace("prices:\n", `${many}prices:\n`)
    )
    assert.deepStrictEqual(faultsOf(text), [])
  })

  it.each([
    ["not YAML", "version: [1", /^1 : /],
    ["no version", "pools: {}\narticles: {}", /^1 version: This field is missing$/],
    [
      "an unknown field",
      shop((text) => text.replace("cost:", "costs:")),
      /^12 articles\.dc-us\.periods\.0\.costs: There is no such field here \(did you mean cost\?\)$/
    ],
    [
      "a markup without a percent sign",
      shop((text) => text.replace("25%", "25")),
      /^21 prices\.0\.markup: .*such as 25%/
    ],
    [
      "a wrong word for the exits",
      shop((text) => text.replace("exits: machine", "exits: own")),
      /^4 .*: Expected machine, or /
    ],
    ["nothing in it", "", /^1 : Expected the fields version/],
    [
      "an amount with 7 decimals",
      shop((text) => text.replace("1.80", "1.8000001")),
      /^12 articles\.dc-us\.periods\.0\.usd: .*6 decimals/
    ],
    ["a price of nothing", shop((text) => text.replace("1.80", "0")), /usd: /],
    [
      "a country in small letters",
      shop((text) => text.replace("US,", "us,")),
      /^3 pools\.us-dc\.country: .*two capital letters/
    ],
    [
      "another name of a country",
      shop((text) => text.replace("US,", "UK,")),
      /country: The code of this country is GB/
    ],
    [
      "a kind that does not exist",
      shop((text) => text.replace("kind: mobile", "kind: mobil")),
      /^4 pools\.de-mobile\.kind: Expected one of datacenter, residential, mobile$/
    ],
    [
      "a kind that does not exist in a rule",
      shop((text) => text.replace("kind: residential", "kind: mobil")),
      /^21 prices\.0\.kind: Expected one of datacenter, residential, mobile$/
    ],
    [
      "a country that does not exist in a rule",
      shop((text) => text.replace("vendor: iproyal, markup: -2.5%", "country: XX, markup: -2.5%")),
      /^22 prices\.1\.country: There is no such country/
    ],
    [
      "a rule with a wrong name of the country",
      shop((text) => text.replace("vendor: iproyal, markup: -2.5%", "contry: DE, markup: -2.5%")),
      /^22 prices\.1\.contry: There is no such field here \(did you mean country\?\)$/
    ],
    [
      "an article with a country",
      shop((text) => text.replace("    mode: static\n", "    mode: static\n    country: XX\n")),
      /^9 articles\.dc-us\.country: There is no such field here; the fields are pool, mode, /
    ],
    [
      "a decimal comma",
      shop((text) => text.replace("usd: 1.80", "usd: 1,80")),
      /^12 articles\.dc-us\.periods\.0\.80: There is no such field here; decimals have a point, such as 1\.80$/
    ],
    [
      "a colon in a text without quotes",
      shop((text) => text.replace(/name: .*/, "name: Datacenter: United States")),
      /^10 : A text with a colon needs quotes, such as name: "Datacenter: US"/
    ],
    ["a group of countries", shop((text) => text.replace("US,", "EU,")), /country: There is no such country/],
    ["a country that does not exist", shop((text) => text.replace("US,", "ZZ,")), /country: There is no such country/],
    ["no address", shop((text) => text.replace("203.0.113.7", "203.0.113.700")), /^3 pools\.us-dc\.exits.*IP address/],
    [
      "an address twice",
      shop((text) => text.replace("exits: machine", "exits: [203.0.113.6]")),
      /^4 pools\.de-mobile\.exits\.0: .*twice/
    ],
    [
      "an unknown pool",
      shop((text) => text.replace("pool: us-dc", "pool: us")),
      /^7 articles\.dc-us\.pool: There is no pool us; the pools are us-dc, de-mobile$/
    ],
    [
      "a pool without addresses of the version",
      shop((text) => text.replace("IPv4", "IPv6")),
      /^9 articles\.dc-us\.ip_version: /
    ],
    ["a static mobile article", shop((text) => text.replace("rotating", "static")), /^15 articles\.mobile-de\.mode: /],
    ["two equal rules", shop((text) => `${text}  - { vendor: iproyal, floor: 2 }\n`), /^23 prices\.2: .*same offers/],
    [
      "more months than its days",
      shop((text) => text.replace("months: 1", "months: 12")),
      /^12 articles\.dc-us\.periods\.0\.months: 30 days are not 12 calendar months/
    ],
    [
      "a rule that hides a period",
      shop((text) => `${text}  - { days: 30, hidden: true }\n`),
      /^23 prices\.2\.hidden: .*whole offers/
    ],
    [
      "a rule that names a period",
      shop((text) => `${text}  - { vendor: iproyal, days: 30, name: Fast }\n`),
      /^23 prices\.2\.name: A name is that of a whole offer, so the rule has no days$/
    ],
    [
      "a rule that names the articles of the gateway",
      shop((text) => `${text}  - { vendor: gateway, article: dc-us, description: Fast }\n`),
      /^23 prices\.2\.description: An article of the gateway has its description in articles$/
    ],
    [
      "a rule that names the offers of any vendor",
      shop((text) => `${text}  - { country: DE, name: Fast, description: Near }\n`),
      /^23 prices\.2\.vendor: A rule with a name or a description names its vendor$/
    ],
    [
      "a rule that names an article without its vendor",
      shop((text) => `${text}  - { article: x, name: Fast }\n`),
      /^23 prices\.2\.vendor: A rule of an article names its vendor too$/
    ],
    [
      "a rule with an empty name",
      shop((text) => `${text}  - { vendor: iproyal, country: DE, name: "" }\n`),
      /^23 prices\.2\.name: Expected a text of 1 to 200 characters$/
    ],
    [
      "a negative bound of renewals",
      shop((text) => `${text}renewals: { announce_above: -5% }\n`),
      /^23 renewals\.announce_above: Expected a percentage of at least 0%/
    ],
    ["an alias without an anchor", shop((text) => text.replace("[{ days: 1,", "*none #")), /^18 : .*&none/],
    [
      "a pool with the name of a property of every object",
      shop((text) => text.replace("us-dc\n", "constructor\n")),
      /pool: There is no pool/
    ],
    [
      "a rule of an article without its vendor",
      shop((text) => `${text}  - { article: x, hidden: true }\n`),
      /^23 prices\.2\.vendor: /
    ],
    ["an alias without its anchor", shop((text) => text.replace("machine", "*ips")), /^4 : There is no &ips before/],
    [
      "the name of a property of objects",
      shop((text) => text.replace("pool: us-dc", "pool: constructor")),
      /^7 .*no pool/
    ],
    [
      "one name as a number and as a text",
      shop((text) =>
        text.replace("articles:", `  1: &p { country: FR, kind: datacenter, exits: machine }\n  "1": *p\narticles:`)
      ),
      /^6 : The name 1 is in its group twice$/
    ],
    ["an amount that no offer can have", shop((text) => text.replace("1.80", "1e9")), /^12 .*usd: .*999999999/],
    [
      "an address of no machine",
      shop((text) => text.replace("203.0.113.7", "0.0.0.0")),
      /^3 .*exits\.1: .*one machine/
    ],
    ["a group of machines as address", shop((text) => text.replace("203.0.113.7", "ff02::1")), /^3 .*exits\.1: /],
    [
      "months that are not its days",
      shop((text) => text.replace("months: 1", "months: 12")),
      /^12 .*months: 30 days are not 12/
    ],
    [
      "a period that is hidden alone",
      shop((text) => `${text}  - { vendor: gateway, days: 30, hidden: true }\n`),
      /^23 prices\.2\.hidden: /
    ],
    [
      "a bound below the last price",
      shop((text) => `${text}renewals: { announce_above: -1% }\n`),
      /^23 renewals\.announce_above: .*at least 0%/
    ]
  ] as const)("with %s is refused, with the line and the field", (_, text, said) => {
    const faults = faultsOf(text)
    assert.lengthOf(faults, 1, faults.join("\n"))
    assert.match(faults[0] ?? "", said)
  })

  // The limit of the articles is in shop.schema.json; to read so many takes seconds.
  it("is refused with more pools than the catalog takes articles", () => {
    const pools = Array.from({ length: 9_999 }, (_, index) => `  p${index}: { country: US, kind: mobile, exits: [] }\n`)
    const text = shop((text) => text.replace("articles:\n", `${pools.join("")}articles:\n`))
    assert.deepStrictEqual(faultsOf(text), ["3 pools: Expected at most 10000 pools"])
  })

  it("is refused with all its faults, in the order of their lines", () => {
    const text = shop((text) =>
      text.replace("usd: 2.5", "usd: -1").replace("kind: datacenter", "kind: dc").replace("25%", "25")
    )
    assert.deepStrictEqual(
      faultsOf(text).map((fault) => fault.split(":", 1)[0]),
      ["3 pools.us-dc.kind", "18 articles.mobile-de.periods.0.usd", "21 prices.0.markup"]
    )
  })

  it("is refused with each line once when its indentation is wrong", () => {
    assert.deepStrictEqual(
      faultsOf(shop((text) => text.replace("    mode: static", "\tmode: static")))[0],
      "8 : Indent with spaces, not with tabs"
    )
    const faults = faultsOf(shop((text) => text.replace("    mode: static", "   mode: static")))
    assert.strictEqual(faults[0], "8 : The fields of one group begin in the same column")
    const lines = faults.map((fault) => fault.split(" ", 1)[0])
    assert.deepStrictEqual(lines, [...new Set(lines)])
  })

  it("is refused with a wrong name of a field and with the field that is missing then", () => {
    assert.deepStrictEqual(faultsOf(shop((text) => text.replace("country: DE", "contry: de"))), [
      "4 pools.de-mobile.contry: There is no such field here (did you mean country?)",
      "4 pools.de-mobile.country: This field is missing"
    ])
  })

  it("is refused with faults of one field and faults between fields together", () => {
    const text = shop((text) =>
      text
        .replace("pool: us-dc", "pool: us")
        .replace("usd: 1.80", "usd: free")
        .replace("name: Mobile", "nam: Mobile")
        .replace("exits: machine", "exits: machine, isp: none")
        .replace("markup: 25%", "markups: 25%")
    )
    assert.deepStrictEqual(
      faultsOf(`${text}  - { article: x, hidden: true }\n`).map((fault) => fault.split(":", 1)[0]),
      [
        "4 pools.de-mobile.isp",
        "7 articles.dc-us.pool",
        "12 articles.dc-us.periods.0.usd",
        "14 articles.mobile-de.name",
        "17 articles.mobile-de.nam",
        "21 prices.0.markups",
        "23 prices.2.vendor"
      ]
    )
  })
})

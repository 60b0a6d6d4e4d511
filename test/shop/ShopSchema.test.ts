import { assert, describe, it } from "@effect/vitest"
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Result } from "effect"
import * as fs from "node:fs"
import { parse } from "yaml"
import { fileSchema } from "../../src/cli/ShopCommand.ts"
import { read } from "../../src/shop/ReadShopFile.ts"

const example = fs.readFileSync(new URL("../../shop.example.yaml", import.meta.url), "utf8")

const validate = addFormats.default(new Ajv2020({ strict: false })).compile(JSON.parse(fileSchema()))

/** A file with each field. */
const full = `version: 1
pools:
  us-dc: { country: US, kind: datacenter, exits: [203.0.113.6, "2001:db8::1"] }
  us-home: { country: US, kind: residential, exits: machine }
articles:
  home:
    pool: us-home
    mode: static
    ip_version: IPv4
    name: Home
    description: A place
    places: [{ region: Ohio, city: Dayton }]
    protocols: [HTTP]
    periods: [{ days: 30, months: 1, name: 1 month, gb: 5, usd: 2.5, star: 100, cost: 0.5 }]
    traffic: { usd: 0.75, star: 50, cost: 0.25 }
    limit: 7
    rate_mbps: 20
    max_connections: 100
    state: "on"
prices:
  - { vendor: gateway, kind: residential, country: US, article: home, days: 30, markup: 10%, floor: 1.25, round: 0.05, star_rate: 0.013 }
  - { vendor: gateway, article: home, days: 30, price: 3.25 }
  - { vendor: gateway, hidden: false }
  - { vendor: iproyal, article: "9:55", name: Fast, description: Near }
renewals: { announce_above: 20% }
`

const isRead = (text: string) => Result.isSuccess(read(text))

const tooLong = (characters: number) => "x".repeat(characters)

/** A text of the full file, and the wrong ones in its place. */
const wrongs: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
  ["the version", "version: 1", ["version: 2", 'version: "1"']],
  ["the name of a pool", "us-dc:", ["US:", "us_dc:", "-us:", "us-:", `${tooLong(64)}:`]],
  [
    "the country of a pool",
    "country: US, kind: datacenter",
    ["us", "UK", "XX", "EU", "USA", "1"].map((code) => `country: ${code}, kind: datacenter`)
  ],
  ["the kind of a pool", "kind: datacenter", ["kind: mobil", "kind: Datacenter"]],
  ["the exits of a pool", "exits: machine", ["exits: own", "exits: 203.0.113.8", "exits: null"]],
  ["an address", "203.0.113.6", ["203.0.113.600", "example.com", "203.0.113.0/24", "7"]],
  ["an unknown field", "limit: 7", ["limits: 7"]],
  ["the name of an article", "  home:", ["  Home:", "  my home:"]],
  ["the pool of an article", "pool: us-home", ["pool: US", "pool: 7"]],
  ["the mode", "mode: static", ["mode: fixed"]],
  ["the IP version", "ip_version: IPv4", ["ip_version: 4", "ip_version: ipv4"]],
  ["the name for customers", "name: Home", ['name: ""', "name: 7", `name: ${tooLong(201)}`]],
  ["the description", "description: A place", ['description: ""', `description: ${tooLong(1801)}`]],
  [
    "a place",
    "region: Ohio, city: Dayton",
    ['region: Ohio, city: ""', "region: Ohio", `region: Ohio, city: ${tooLong(101)}`]
  ],
  ["the protocols", "[HTTP]", ["[]", "[http]", "HTTP"]],
  ["the days of a period", "{ days: 30", ["{ days: 0", "{ days: 3661", "{ days: 1.5", '{ days: "30"']],
  ["the months", "months: 1,", ["months: 0,", "months: 121,"]],
  ["the name of a period", "name: 1 month", ['name: ""', `name: ${tooLong(101)}`]],
  ["the traffic of a period", "gb: 5", ["gb: 0", "gb: 1000001", "gb: many"]],
  [
    "a price",
    "usd: 2.5",
    [
      "0",
      "0.009",
      "-1",
      "1e9",
      "free",
      '"0"',
      '"0.00"',
      '"0.009"',
      '"1.2345678"',
      '"1,50"',
      '"1000000000"',
      "null"
    ].map((usd) => `usd: ${usd}`)
  ],
  ["a price in stars", "star: 100", ["star: 0", "star: 1.5", "star: 1000000000"]],
  ["a cost", "cost: 0.5", ["cost: -0.1", "cost: 1e9", 'cost: "1.2345678"', 'cost: "-1"']],
  ["the price of traffic", "usd: 0.75", ["usd: 0", 'usd: "0.001"']],
  ["the limit", "limit: 7", ["limit: 0", "limit: 65536"]],
  ["the rate", "rate_mbps: 20", ["rate_mbps: 0", "rate_mbps: 10001", "rate_mbps: 0.5", "rate_mbps: fast"]],
  ["the connections", "max_connections: 100", ["max_connections: 0", "max_connections: 1001"]],
  ["the state", 'state: "on"', ["state: true", "state: paused"]],
  ["the vendor of a rule", "vendor: gateway, kind", ['vendor: "", kind', `vendor: ${tooLong(51)}, kind`]],
  ["the kind of a rule", "kind: residential, country", ["kind: mobil, country"]],
  [
    "the country of a rule",
    "country: US, article",
    ["country: XX, article", "country: us, article", "contry: US, article"]
  ],
  [
    "the article of a rule",
    "article: home, days: 30, markup",
    ['article: "", days: 30, markup', `article: ${tooLong(201)}, days: 30, markup`]
  ],
  ["the days of a rule", "days: 30, markup", ["days: 0, markup", "days: 3661, markup"]],
  [
    "a markup",
    "markup: 10%",
    ["10", '"10"', "-100%", "-150%", "10 %", "1.234%", "12345%"].map((markup) => `markup: ${markup}`)
  ],
  ["a floor", "floor: 1.25", ["floor: 0", 'floor: "0.001"']],
  ["a rounding", "round: 0.05", ["round: 0", "round: 0.001"]],
  ["the price of a star", "star_rate: 0.013", ["star_rate: -1", 'star_rate: "x"']],
  ["a fixed price", "price: 3.25", ["price: 0.001", "price: 1e9"]],
  ["hidden", "hidden: false", ["hidden: 0", 'hidden: "no"']],
  ["the name of a vendor's offer", "name: Fast", ['name: ""', "name: 7", `name: ${tooLong(201)}`]],
  ["the description of a vendor's offer", "description: Near", ['description: ""', `description: ${tooLong(1801)}`]],
  ["the bound of renewals", "announce_above: 20%", ["announce_above: -5%", "announce_above: 20", "announce: 20%"]]
]

describe("The schema of the shop file", () => {
  it("accepts the example, and a file with each field", () => {
    for (const text of [example, full]) {
      assert.isTrue(isRead(text), JSON.stringify(Result.getFailure(read(text))))
      assert.isTrue(validate(parse(text)), JSON.stringify(validate.errors))
    }
  })

  it("accepts amounts that the reader accepts", () => {
    for (const usd of [
      "1",
      "0.01",
      '"1.80"',
      '"01.5"',
      '"0.0100000000"',
      "999999999",
      '"999999999.999999"',
      "12.345678"
    ]) {
      const text = full.replace("usd: 2.5", `usd: ${usd}`)
      assert.deepStrictEqual([usd, validate(parse(text)), isRead(text)], [usd, true, true])
    }
    for (const markup of ["-99.99%", "0%", "9999%", "2.5%"]) {
      const text = full.replace("markup: 10%", `markup: ${markup}`)
      assert.deepStrictEqual([markup, validate(parse(text)), isRead(text)], [markup, true, true])
    }
  })

  it.each(wrongs)("refuses what the reader refuses: %s", (_, right, wrong) => {
    for (const one of wrong) {
      const text = full.replace(right, one)
      assert.notStrictEqual(text, full)
      assert.deepStrictEqual([one, validate(parse(text)), isRead(text)], [one, false, false])
    }
  })

  it.each([
    ["the version", /^version: 1\n/m],
    ["the pools", /^pools:\n(?: .*\n)+/m],
    ["the exits of a pool", /, exits: machine/],
    ["the pool of an article", / {4}pool: us-home\n/],
    ["the price of a period", / usd: 2\.5,/]
  ] as const)("refuses a file without %s, as the reader does", (_, part) => {
    const text = full.replace(part, "")
    assert.deepStrictEqual([validate(parse(text)), isRead(text)], [false, false])
  })
})

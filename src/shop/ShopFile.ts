import { Result, Schema, SchemaGetter } from "effect"
import { NetAddress } from "effect/net"
import { IpVersion, largestAmount, mostOffers, ProxyKind, ProxyProtocol } from "../catalog/Offer.ts"
import { countryCodes } from "../platform/fields/Country.ts"
import { Text } from "../platform/fields/Text.ts"
import * as Money from "../platform/Money.ts"
import { canonicalAddress } from "../platform/outbound/PublicAddress.ts"

/** An amount as people write it: a YAML number, or a text where every digit counts. */
const Written = Schema.Union([Schema.Finite, Schema.String])

const microsOf = (written: number | string) => Money.fromDecimal("USD", String(written))

/** `text`: the pattern of a text for editors, which know no exact amounts. */
const dollars = (minimum: bigint, expected: string, text: RegExp) =>
  Written.check(
    Schema.makeFilter(
      (written) => {
        const micros = microsOf(written)
        return micros !== undefined && micros >= minimum && micros <= largestAmount
      },
      {
        expected,
        // A number has to be in the range, a text has to match the pattern.
        toJsonSchema: () => ({
          minimum: Money.toNumber("USD", minimum),
          maximum: Money.toNumber("USD", largestAmount),
          pattern: text.source
        })
      }
    )
  ).pipe(
    Schema.decodeTo(Schema.BigInt, {
      decode: SchemaGetter.transform((written) => microsOf(written) ?? 0n),
      encode: SchemaGetter.transform((micros) => Money.toNumber("USD", micros))
    })
  )

/** A price in dollars; micro-dollars when it is read. */
const Price = dollars(
  10_000n,
  "dollars from 0.01 to 999999999, with at most 6 decimals, such as 1.80",
  /^(?!0+(?:\.(?:0|00\d*))?$)0*\d{1,9}(?:\.\d{1,6}0*)?$/u
).annotate({ description: "Dollars, at least 0.01" })

/** A cost in dollars; micro-dollars when it is read. */
const Cost = dollars(
  0n,
  "dollars from 0 to 999999999, with at most 6 decimals, such as 0.40",
  /^0*\d{1,9}(?:\.\d{1,6}0*)?$/u
).annotate({ description: "Dollars" })

const Stars = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 999_999_999 }))
  .annotate({ description: "Telegram Stars" })
  .pipe(
    Schema.decodeTo(Schema.BigInt, {
      decode: SchemaGetter.transform((stars) => BigInt(stars)),
      encode: SchemaGetter.transform((stars) => Number(stars))
    })
  )

/** A percentage such as `25%`; hundredths of a percent when it is read. */
const percent = (pattern: RegExp, expected: string) =>
  Schema.String.annotate({ message: `Expected ${expected}` })
    .check(Schema.isPattern(pattern, { expected }))
    .pipe(
      Schema.decodeTo(Schema.Int, {
        decode: SchemaGetter.transform((text) => Math.round(Number(text.slice(0, -1)) * 100)),
        encode: SchemaGetter.transform((hundredths) => `${hundredths / 100}%`)
      })
    )

const Markup = percent(/^(?:-\d{1,2}|\d{1,4})(?:\.\d{1,2})?%$/u, "a percentage above -100%, such as 25% or -2.5%")
const Excess = percent(/^\d{1,4}(?:\.\d{1,2})?%$/u, "a percentage of at least 0%, such as 20%")

const namePattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u

/** True for a name of a pool or an article. */
export const isName = (text: string): boolean => namePattern.test(text)

// `CheckShopFile` refuses other codes than those of countries, and names the right one.
const Country = Schema.String.check(
  Schema.isPattern(/^[A-Z]{2}$/u, {
    expected: "a country code of two capital letters (ISO 3166-1), such as DE",
    toJsonSchema: () => ({ enum: countryCodes.toSorted() })
  })
).annotate({ identifier: "Country" })

/** True for an address that connections can leave from. */
const isSource = (text: string): boolean =>
  Result.match(NetAddress.ipFromString(text), {
    onFailure: () => false,
    onSuccess: (address) => NetAddress.isUnicast(NetAddress.toCanonical(address))
  })

const Address = Schema.String.check(
  Schema.makeFilter(isSource, {
    expected: "an IP address of one machine, such as 203.0.113.6",
    toJsonSchema: () => ({ anyOf: [{ format: "ipv4" }, { format: "ipv6" }] })
  })
).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((text) => canonicalAddress(text) ?? text),
    encode: SchemaGetter.passthrough()
  })
)

/** The addresses from which the proxies of some articles reach the internet. */
export const Pool = Schema.Struct({
  country: Country,
  kind: ProxyKind,
  exits: Schema.Union([
    Schema.Literal("machine").annotate({
      description: "The own address of the gateway's machine, which all its proxies share"
    }),
    Schema.Array(Address).check(Schema.isMaxLength(10_000))
  ]).annotate({ expected: "machine, or a list of IP addresses" })
})

/** A period or a tariff of an article. Its position is the `tarification_index`. */
const Period = Schema.Struct({
  days: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3660 })),
  months: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 120 })).annotate({
      description: "Calendar months, when the period is a number of months"
    })
  ),
  name: Text(1, 100),
  gb: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0.001, maximum: 1_000_000 })).annotate({
      description: "Included traffic in GB (10^9 bytes); absent: unlimited"
    })
  ),
  usd: Price,
  star: Schema.optionalKey(Stars),
  cost: Schema.optionalKey(Cost)
})

const Place = Schema.Struct({ region: Text(0, 100), city: Text(1, 100) })

const Traffic = Schema.Struct({ usd: Price, star: Schema.optionalKey(Stars), cost: Schema.optionalKey(Cost) })

// The catalog adds to the description of an article when the pool has no address of its own.
const words = { name: Text(1, 200), description: Text(1, 1800) }

const ArticleState = Schema.Literals(["on", "renew_only", "off"])

/** Something that the gateway sells. The pool decides its kind and its country. */
export const Article = Schema.Struct({
  // The reader says that there is no such pool.
  pool: Schema.String.check(Schema.makeFilter(() => true, { toJsonSchema: () => ({ pattern: namePattern.source }) })),
  mode: Schema.Literals(["static", "rotating"]),
  ip_version: IpVersion,
  name: words.name,
  description: Schema.optionalKey(words.description),
  places: Schema.optionalKey(Schema.Array(Place).check(Schema.isMaxLength(2000))),
  protocols: Schema.optionalKey(
    Schema.Array(ProxyProtocol).check(Schema.isBetweenLength(1, 3, { expected: "a list of 1 to 3 protocols" }))
  ),
  periods: Schema.Array(Period).check(Schema.isBetweenLength(1, 100, { expected: "a list of 1 to 100 periods" })),
  traffic: Schema.optionalKey(Traffic).annotateKey({
    description: "The price of one more GB; absent: no extra traffic is sold"
  }),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })).annotate({
      description: "The most proxies of this article that may be open at once"
    })
  ),
  rate_mbps: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({
      description: "Megabits a second of each proxy, in each direction; absent: unlimited"
    })
  ),
  max_connections: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })).annotate({
      description: "The most connections that each proxy may have open at once; absent: 1000"
    })
  ),
  state: Schema.optionalKey(ArticleState).annotateKey({
    description: "on (the default); renew_only: running proxies can be extended; off: nothing is sold"
  })
})

/** A price rule. A field that it lacks comes from the next more general rule that has it. */
export const Rule = Schema.Struct({
  vendor: Schema.optionalKey(Text(1, 50)),
  kind: Schema.optionalKey(ProxyKind),
  country: Schema.optionalKey(Country),
  article: Schema.optionalKey(Text(1, 200)).annotateKey({ description: "The id of an offer at its vendor" }),
  days: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3660 }))).annotateKey({
    description: "The length of the period"
  }),
  markup: Schema.optionalKey(Markup),
  price: Schema.optionalKey(Price),
  floor: Schema.optionalKey(Price),
  round: Schema.optionalKey(Price).annotateKey({ description: "Prices are rounded up to a multiple of this" }),
  star_rate: Schema.optionalKey(Cost).annotateKey({
    description: "Dollars of one star; prices in stars follow from it"
  }),
  hidden: Schema.optionalKey(Schema.Boolean),
  name: Schema.optionalKey(words.name).annotateKey({ description: "What customers read instead of the vendor's name" }),
  description: Schema.optionalKey(words.description)
})

/** Limits the number of parts. Their names, which `CheckShopFile` checks, are for editors. */
const atMost = (count: number, what: string) =>
  Schema.isMaxProperties(count, {
    expected: `at most ${count} ${what}`,
    toJsonSchema: () => ({ maxProperties: count, propertyNames: { pattern: namePattern.source } })
  })

/** The file `shop.yaml`: all that the operator sells, and at what price. */
export const ShopFile = Schema.Struct({
  version: Schema.Literal(1),
  pools: Schema.Record(Schema.String, Pool).check(atMost(mostOffers, "pools")),
  articles: Schema.Record(Schema.String, Article).check(atMost(mostOffers, "articles")),
  prices: Schema.optionalKey(Schema.Array(Rule).check(Schema.isMaxLength(1000))),
  renewals: Schema.optionalKey(
    Schema.Struct({
      announce_above: Excess.annotate({
        description: "A renewal that costs more than this above the last term is announced a day ahead"
      })
    })
  )
}).annotate({ identifier: "Shop" })
export type ShopFile = typeof ShopFile.Type

/** The names of the fields of each group of the file. `*` stands for a name or a position. */
export const fieldNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  "": Object.keys(ShopFile.fields),
  "pools.*": Object.keys(Pool.fields),
  "articles.*": Object.keys(Article.fields),
  "articles.*.places.*": Object.keys(Place.fields),
  "articles.*.periods.*": Object.keys(Period.fields),
  "articles.*.traffic": Object.keys(Traffic.fields),
  "prices.*": Object.keys(Rule.fields),
  renewals: ["announce_above"]
}

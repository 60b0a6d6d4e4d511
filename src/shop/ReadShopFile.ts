import { Exit, Option, Result, Schema } from "effect"
import {
  type Alias,
  type Document,
  isAlias,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit
} from "yaml"
import { faultsAt, mostFaults } from "../platform/errors/Faults.ts"
import { selectorOf, setsNothing } from "../catalog/PriceRule.ts"
import { isName, ShopFile } from "./ShopFile.ts"

/** A fault of a shop file. */
export interface ShopFault {
  /** The first line is 1. */
  readonly line: number
  /** The path of the field, such as `articles.isp-de.periods.0.usd`; empty for the file itself. */
  readonly field: string
  readonly reason: string
}

export const bytesAtMost = 4 * 1024 * 1024

/** Bounds what aliases multiply. A shop may use one list of periods in each article. */
const aliasesAtMost = 10_000

export const inOrder = (faults: ReadonlyArray<ShopFault>) => faults.toSorted((a, b) => a.line - b.line)

type Path = ReadonlyArray<string | number>

const decode = Schema.decodeUnknownExit(ShopFile, { errors: "all", onExcessProperty: "error" })

const own = (path: Path, reason: string) => ({ path, reason })
type Found = ReturnType<typeof own>

const repeated = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => string) => {
  const seen = new Set<string>()
  return items.filter((item) => {
    const key = keyOf(item)
    return seen.has(key) || !seen.add(key)
  })
}

const nameFaults = ({ articles, pools }: ShopFile): ReadonlyArray<Found> =>
  Object.entries({ pools, articles }).flatMap(([field, named]) =>
    Object.keys(named)
      .filter((name) => !isName(name))
      .map((name) => own([field, name], "A name is 1 to 63 small letters, digits and hyphens, such as us-datacenter"))
  )

const regions = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" })

/** Finds letters that are no country, such as `ZZ`, and other names of one: the code of the United Kingdom is `GB`. */
const countryFaults = ({ pools, prices = [] }: ShopFile): ReadonlyArray<Found> =>
  [
    ...Object.entries(pools).map(([name, { country }]) => ({ country, path: ["pools", name, "country"] })),
    ...prices.map(({ country }, index) => ({ country, path: ["prices", index, "country"] }))
  ].flatMap(({ country, path }) => {
    if (country === undefined) return []
    const { region } = new Intl.Locale("und", { region: country })
    if (region !== country) return own(path, `The code of this country is ${region} (ISO 3166-1)`)
    return country === "ZZ" || regions.of(country) === undefined
      ? own(path, "There is no such country (ISO 3166-1)")
      : []
  })

const poolFaults = ({ pools }: ShopFile): ReadonlyArray<Found> => {
  const exits = Object.entries(pools).flatMap(([name, { exits }]) =>
    exits === "machine" ? [] : exits.map((ip, index) => ({ ip, path: ["pools", name, "exits", index] }))
  )
  return repeated(exits, ({ ip }) => ip).map(({ ip, path }) =>
    own(path, `${ip} is in the file twice; an address belongs to one pool`)
  )
}

const articleFaults = ({ articles, pools }: ShopFile): ReadonlyArray<Found> =>
  Object.entries(articles).flatMap(([id, article]) => {
    const at = (...rest: Path) => ["articles", id, ...rest]
    const pool = Object.hasOwn(pools, article.pool) ? pools[article.pool] : undefined
    if (pool === undefined) return [own(at("pool"), `There is no pool ${article.pool}`)]
    const isMobile = pool.kind === "mobile"
    const has = (version: string) =>
      (article.state ?? "on") !== "on" ||
      pool.exits === "machine" ||
      pool.exits.some((ip) => ip.includes(":") === (version === "IPv6"))
    return [
      ...(has(article.ip_version)
        ? []
        : [own(at("ip_version"), `The pool ${article.pool} has no ${article.ip_version} address`)]),
      ...(isMobile === (article.mode === "rotating")
        ? []
        : [own(at("mode"), `A ${pool.kind} article is ${isMobile ? "rotating" : "static"}`)]),
      ...(article.places === undefined || pool.kind === "residential"
        ? []
        : [own(at("places"), "Only residential articles have places")]),
      ...repeated(
        article.periods.map((period, index) => ({ ...period, index })),
        ({ days, gb }) => (isMobile ? `${days} ${gb}` : `${days}`)
      ).map(({ index }) => own(at("periods", index), "Another period has the same length")),
      ...article.periods.flatMap(({ days, months }, index) =>
        months === undefined || (days >= months * 28 && days <= months * 31)
          ? []
          : [own(at("periods", index, "months"), `${days} days are not ${months} calendar months`)]
      )
    ]
  })

const ruleFaults = ({ prices = [] }: ShopFile): ReadonlyArray<Found> => {
  const rules = prices.map((rule, index) => ({ rule, index }))
  return [
    ...rules
      .filter(({ rule }) => rule.article !== undefined && rule.vendor === undefined)
      .map(({ index }) => own(["prices", index, "vendor"], "A rule of an article names its vendor too")),
    ...rules
      .filter(({ rule }) => rule.price !== undefined && rule.days === undefined)
      .map(({ index }) => own(["prices", index, "days"], "A fixed price names the days of its period")),
    ...rules
      .filter(({ rule }) => rule.hidden !== undefined && rule.days !== undefined)
      .map(({ index }) => own(["prices", index, "hidden"], "A rule hides whole offers, so it has no days")),
    ...rules
      .filter(({ rule }) => rule.price !== undefined && rule.markup !== undefined)
      .map(({ index }) => own(["prices", index, "markup"], "A rule has a fixed price or a markup, not both")),
    ...rules
      .filter(({ rule }) => setsNothing(rule))
      .map(({ index }) => own(["prices", index], "The rule sets nothing, such as a markup or a floor")),
    ...repeated(rules, ({ rule }) => selectorOf(rule)).map(({ index }) =>
      own(["prices", index], "Another rule is for exactly the same offers")
    )
  ]
}

/** Finds keys that become the same name in a map, such as `1` and `"1"`. */
const repeatedKeys = (document: Document): ReadonlyArray<Node> => {
  const found: Array<Node> = []
  visit(document, {
    Map: (_, { items }) => {
      const keys = items.flatMap(({ key }) => (isScalar(key) ? key : []))
      found.push(...repeated(keys, ({ value }) => String(value)))
    }
  })
  return found
}

/** Finds the aliases without an anchor before them. */
const lostAliases = (document: Document): ReadonlyArray<Alias> => {
  const anchors = new Set<string>()
  const lost: Array<Alias> = []
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) anchors.add(node.anchor ?? "")
      else if (!anchors.has(node.source)) lost.push(node)
    }
  })
  return lost
}

/** A shop, and the lines of its file. */
export interface ReadShop {
  readonly shop: ShopFile
  /** Makes a fault with the line of the field at `path`, or of the innermost field around it. */
  readonly faultAt: (path: Path, reason: string) => ShopFault
}

/** The words of the decoder that name no field of YAML, in words for the person who writes the file. */
const plainWords = new Map([
  ["Missing key", "This field is missing"],
  ["Expected no excess property", "There is no such field here"],
  ["Expected string", "Expected a text"],
  ["Expected number", "Expected a number"],
  ["Expected an integer", "Expected a whole number"],
  ["Expected boolean", "Expected true or false"],
  ["Expected Shop", "Expected the fields version, pools and articles"],
  ["Expected array", "Expected a list"],
  ["Expected object", "Expected a group of fields"]
])

/** Reads a shop file. Fails with all its faults, in the order of their lines. */
export const read = (text: string): Result.Result<ReadShop, ReadonlyArray<ShopFault>> => {
  if (Buffer.byteLength(text) > bytesAtMost)
    return Result.fail([{ line: 1, field: "", reason: "The file is larger than 4 MiB" }])
  const lines = new LineCounter()
  // The library compares each key with each other one, which takes half a minute for 10,000 articles.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false })

  const lineOfNode = ({ range }: Node) => lines.linePos(range?.[0] ?? 0).line
  /** The line of a field, or of the innermost field around a missing one. */
  const lineOf = (path: Path): number => {
    const node = document.getIn(path, true)
    if (isNode(node)) return lineOfNode(node)
    return path.length === 0 ? 1 : lineOf(path.slice(0, -1))
  }
  const faultAt = (path: Path, reason: string) => ({ line: lineOf(path), field: path.join("."), reason })
  const faults = (found: ReadonlyArray<Found>) =>
    Result.fail(inOrder(found.map(({ path, reason }) => faultAt(path, reason))))

  if (document.errors.length > 0)
    return Result.fail(
      document.errors.slice(0, mostFaults).map(({ linePos, message }) => ({
        line: linePos?.[0].line ?? 1,
        field: "",
        reason: message.split("\n", 1)[0]?.replace(/ at line \d+.*$/, "") ?? ""
      }))
    )
  const keys = repeatedKeys(document)
  if (keys.length > 0)
    return Result.fail(
      keys.map((key) => ({ line: lineOfNode(key), field: "", reason: "The keys of a group must be unique" }))
    )
  const values = Result.try(() => document.toJS({ maxAliasCount: aliasesAtMost }))
  if (Result.isFailure(values)) {
    const lost = lostAliases(document).map((alias) => ({
      line: lineOfNode(alias),
      field: "",
      reason: `There is no &${alias.source} before *${alias.source}`
    }))
    const reason = `The aliases of the file stand for more than ${aliasesAtMost} values`
    return Result.fail(lost.length === 0 ? [{ line: 1, field: "", reason }] : lost)
  }
  const exit = decode(values.success)
  if (Exit.isFailure(exit)) {
    const { issue } = Option.getOrThrow(Exit.findErrorOption(exit))
    return faults(faultsAt("file", issue).map(({ loc: [, ...path], msg }) => own(path, plainWords.get(msg) ?? msg)))
  }
  const shop = exit.value
  const found = [
    ...nameFaults(shop),
    ...countryFaults(shop),
    ...poolFaults(shop),
    ...articleFaults(shop),
    ...ruleFaults(shop)
  ]
  return found.length === 0 ? Result.succeed({ shop, faultAt }) : faults(found)
}

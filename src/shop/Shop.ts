import { Context, Data, Effect, Layer, Option, References, Schema } from "effect"
import * as YAML from "yaml"
import { matches } from "../catalog/PriceRule.ts"
import { CatalogWriter } from "../catalog/CatalogWriter.ts"
import { GatewayStock } from "../gateway/GatewayStock.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { inOrder, type ReadShop, type ShopFault } from "./ReadShopFile.ts"
import { ShopFile } from "./ShopFile.ts"
import * as ShopReport from "./ShopReport.ts"
import { type OfferRow, ShopRepo, type ShopRows } from "./ShopRepo.ts"
import { fileOf, rowsOf } from "./ShopRows.ts"

/** The file contradicts what customers have bought. */
export class ShopRefused extends Data.TaggedError("ShopRefused")<{ readonly faults: ReadonlyArray<ShopFault> }> {}

/** Rolls back a change that was only tried. */
class Tried extends Data.TaggedError("Tried")<{ readonly lines: ReadonlyArray<string> }> {}

interface ShopChange extends ReadShop {
  /** True for the demo shop. */
  readonly is_demo: boolean
  /** False when the gateway is not one of the providers: its articles are kept, but not sold. */
  readonly isSelling: boolean
  /** True: only the price rules of the file count; everything else stays. */
  readonly isPricesOnly?: boolean
}

const encode = Schema.encodeEffect(ShopFile)

const gateway = { name: "gateway", isOwn: true }

const olderDatabase =
  "The database is older than the shop; start the service once, so that running orders keep their articles"
const nothingToPrice = "The database has no shop yet; apply the whole file with shop apply"

const samePeriod = (
  one: ShopRows["articles"][number]["options"][number] | undefined,
  other: ShopRows["articles"][number]["options"][number] | undefined
) =>
  one === undefined ||
  other === undefined ||
  (one.period_days === other.period_days && one.bandwidth_gb === other.bandwidth_gb)

type Current = Pick<ShopRows, "articles" | "pools"> & {
  readonly held: ReadonlyArray<ShopRows["addresses"][number] & { readonly bound: number }>
}

/** Finds changes that contradict what customers have bought, or give an id or a position another meaning. */
const conflicts = ({ faultAt, shop }: ReadShop, wanted: Omit<ShopRows, "is_demo">, current: Current) => {
  const pools = new Map(current.pools.map((pool) => [pool.name, pool]))
  const articles = new Map(current.articles.map((article) => [article.id, article]))
  const held = new Map(current.held.map((address) => [address.ip, address]))
  return [
    ...wanted.pools.flatMap(({ country_code, kind, name }) => {
      const old = pools.get(name)
      return old === undefined || (old.kind === kind && old.country_code === country_code)
        ? []
        : faultAt(
            ["pools", name],
            `The pool keeps its kind (${old.kind}) and its country (${old.country_code}); use a new name`
          )
    }),
    ...wanted.articles.flatMap((article) => {
      const old = articles.get(article.id)
      if (old === undefined) return []
      if (
        old.kind !== article.kind ||
        old.country_code !== article.country_code ||
        old.ip_version !== article.ip_version
      )
        return faultAt(
          ["articles", article.id],
          `The article keeps its kind, country and IP version (${old.kind}, ${old.country_code}, ${old.ip_version}); use a new name`
        )
      // A later period at its position would be another tariff for an order that read an older catalog.
      if (article.kind === "mobile" && article.options.length < old.options.length)
        return faultAt(
          ["articles", article.id, "periods"],
          `The article has ${old.options.length} periods, and clients order them by their position: keep all of them, or make a new article`
        )
      return article.options.flatMap((option, index) =>
        samePeriod(option, old.options[index])
          ? []
          : faultAt(
              ["articles", article.id, "periods", index],
              "Clients order a period by its position: periods keep their order, days and GB; add new ones at the end, or make a new article"
            )
      )
    }),
    ...Object.entries(shop.pools).flatMap(([name, { exits }]) =>
      exits === "machine"
        ? []
        : exits.flatMap((ip, index) => {
            const old = held.get(ip)
            return old === undefined || old.pool === name || old.bound === 0
              ? []
              : faultAt(
                  ["pools", name, "exits", index],
                  `${old.bound} running ${old.bound === 1 ? "proxy" : "proxies"} of the pool ${old.pool} ${old.bound === 1 ? "has" : "have"} ${ip}; the address can move when none of them runs`
                )
          })
    )
  ]
}

/** Leaves out removed articles without running orders, such as those of the demo shop, and pools of nothing else. */
const inUse = <A extends Pick<ShopRows, "addresses" | "articles" | "pools">>(
  rows: A,
  offers: ReadonlyArray<OfferRow>
): A => {
  const running = new Set(
    offers.flatMap(({ external_id, provider, running }) =>
      provider === gateway.name && running > 0 ? external_id : []
    )
  )
  const articles = rows.articles.filter(({ id, state }) => state !== "renew_only" || running.has(id))
  const used = new Set([...articles, ...rows.addresses].map(({ pool }) => pool))
  return { ...rows, articles, pools: rows.pools.filter(({ name }) => used.has(name)) }
}

/** A rule without an offer is often a slip: the vendor's name, a country that it does not sell. */
const unusedRules = ({ faultAt, shop: { prices = [] } }: ReadShop, offers: ReadonlyArray<OfferRow>) =>
  prices.flatMap((rule, index) => {
    const isUsed = offers.some(({ country_code, external_id, kind, options, provider }) => {
      const subject = { vendor: provider, kind, country: country_code, article: external_id }
      return options.some(({ period_days }) => matches(rule, { ...subject, days: period_days }))
    })
    const { field, line } = faultAt(["prices", index], "")
    return isUsed ? [] : `? ${field} in line ${line}: no offer of the catalog matches this rule`
  })

/** Reads the present shop without its state. */
const rowsIn = ({ addresses, articles, pools, rules }: ShopRepo["Service"]) =>
  Effect.all({ addresses, articles, pools, rules })

/** Makes the shop what its file says, in the caller's transaction. Returns the lines of the report. */
const makeChange = Effect.gen(function* () {
  const repo = yield* ShopRepo
  const stock = yield* GatewayStock
  const writer = yield* CatalogWriter

  const moment = Effect.all({ offers: repo.offers, addresses: repo.addresses, held: repo.held })
  const rows = rowsIn(repo)

  const changeCatalog = Effect.fnUntraced(function* (isSelling: boolean) {
    const others = yield* writer.repriceOthers(gateway.name)
    return others + (isSelling ? yield* writer.replace(gateway, yield* stock.articles) : 0)
  })

  return Effect.fnUntraced(function* ({ is_demo, isPricesOnly = false, isSelling, ...read }: ShopChange) {
    yield* repo.lock
    const before = yield* moment
    const current = yield* rows
    const described = { ...rowsOf(read.shop), is_demo }
    const present = { ...current, ...Option.getOrUndefined(yield* repo.state) }
    const wanted = isPricesOnly ? { ...described, ...present, rules: described.rules } : described
    const faults = isPricesOnly ? [] : conflicts(read, wanted, { ...current, held: yield* repo.held })
    if (faults.length > 0) return yield* new ShopRefused({ faults: inOrder(faults) })
    yield* repo.write(wanted)
    yield* writer.changing(changeCatalog(isSelling), { fills: isSelling })
    const after = yield* moment
    return [...ShopReport.linesOf(before, after), ...unusedRules(read, after.offers)]
  })
})

/** Plans, applies and exports what the operator sells (docs/shop.md). */
export class Shop extends Context.Service<
  Shop,
  {
    /** Returns what `apply` would change, and changes nothing. */
    readonly plan: (change: ShopChange) => Effect.Effect<ReadonlyArray<string>, ShopRefused>
    /** Makes the shop what its file says, in one transaction: orders see the old shop or the new one. */
    readonly apply: (change: ShopChange) => Effect.Effect<ReadonlyArray<string>, ShopRefused>
    /** Makes the first shop of a database, when it has none and `make` returns one. */
    readonly begin: (make: Effect.Effect<ShopChange | undefined>) => Effect.Effect<"exists" | "none" | "begun">
    /** True while the shop is the demo. */
    readonly isDemo: Effect.Effect<boolean>
    /** True when the catalog has had offers of the gateway, also those of a version before the shop. */
    readonly hadOffers: Effect.Effect<boolean>
    /** The offers on sale, with their ids, prices and costs. */
    readonly prices: Effect.Effect<ReadonlyArray<string>>
    /** The present shop as a file. Undefined: the database has no shop. */
    readonly exported: Effect.Effect<string | undefined>
  }
>()("app/shop/Shop") {
  static readonly layerNoDeps = Layer.effect(
    Shop,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const repo = yield* ShopRepo
      const change = yield* makeChange

      /** Refuses a change before the first shop, which keeps the articles of running orders for renewals. */
      const changeExisting = Effect.fnUntraced(function* (wanted: ShopChange) {
        if (wanted.isSelling && Option.isNone(yield* repo.state)) {
          const older = (yield* repo.hadOffers) ? olderDatabase : undefined
          const reason = older ?? (wanted.isPricesOnly === true ? nothingToPrice : undefined)
          if (reason !== undefined) return yield* new ShopRefused({ faults: [wanted.faultAt([], reason)] })
        }
        return yield* change(wanted)
      })

      const plan = (wanted: ShopChange) =>
        changeExisting(wanted).pipe(
          Effect.flatMap((lines) => Effect.fail(new Tried({ lines }))),
          atomically,
          // The log of a change would say that it happened.
          Effect.provideService(References.MinimumLogLevel, "Warn"),
          Effect.catchTag("Tried", ({ lines }) => Effect.succeed(lines))
        )

      const exported = Effect.gen(function* () {
        yield* repo.lock
        const state = Option.getOrUndefined(yield* repo.state)
        if (state === undefined) return undefined
        const present = inUse(yield* rowsIn(repo), yield* repo.offers)
        const file = yield* Effect.orDie(encode(fileOf({ ...present, announce_above: state.announce_above })))
        return YAML.stringify(file, { aliasDuplicateObjects: false, lineWidth: 120 })
      }).pipe(atomically)

      const begin = Effect.fnUntraced(function* (make: Effect.Effect<ShopChange | undefined>) {
        yield* repo.lock
        if (Option.isSome(yield* repo.state)) return "exists"
        const wanted = yield* make
        if (wanted === undefined) return "none"
        yield* Effect.orDie(change(wanted))
        return "begun"
      }, atomically)

      const isDemo = Effect.map(repo.state, (state) => Option.exists(state, ({ is_demo }) => is_demo))

      return Shop.of({
        plan,
        apply: (wanted) => atomically(changeExisting(wanted)),
        begin,
        exported,
        hadOffers: repo.hadOffers,
        isDemo,
        prices: Effect.map(repo.offers, ShopReport.pricesOnSale)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([CatalogWriter.layer, GatewayStock.layer, ShopRepo.layer])
  )
}

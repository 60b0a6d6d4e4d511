import { Context, Data, Effect, Layer, Option, References, Schema } from "effect"
import * as YAML from "yaml"
import { matches } from "../catalog/PriceRule.ts"
import { CatalogWriter } from "../catalog/CatalogWriter.ts"
import { GatewayStock } from "../gateway/GatewayStock.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { type FalseGoods, falseGoods } from "./FalseGoods.ts"
import { inOrder, type ReadShop, type ShopFault } from "./ReadShopFile.ts"
import { conflicts } from "./ShopConflicts.ts"
import { ShopFile } from "./ShopFile.ts"
import * as ShopReport from "./ShopReport.ts"
import { type OfferRow, ShopRepo, type ShopRows } from "./ShopRepo.ts"
import { fileOf, rowsOf } from "./ShopRows.ts"

/** The file contradicts what customers have bought. */
export class ShopRefused extends Data.TaggedError("ShopRefused")<{ readonly faults: ReadonlyArray<ShopFault> }> {}

/** Rolls back a change that was only tried. */
class Tried extends Data.TaggedError("Tried")<{ readonly lines: ReadonlyArray<string> }> {}

/** The terms on which the service sells. */
interface Terms {
  /** False when the gateway is not one of the providers: its articles are kept, but not sold. */
  readonly isSelling: boolean
  /** True when a payment gateway that takes real money is on. */
  readonly takesRealMoney: boolean
}

/**
 * The terms are those of the settings of this process. A running service may have others, which its start has recorded:
 * its providers count, and real money of either.
 */
interface ShopChange extends ReadShop {
  readonly isSelling: Terms["isSelling"]
  readonly takesRealMoney?: Terms["takesRealMoney"]
  /** True for the demo shop. */
  readonly is_demo: boolean
  /** True: only the price rules of the file count; everything else stays. */
  readonly isPricesOnly?: boolean
  /** The checks of `doctor` whose failure the operator accepts. */
  readonly accepted?: ReadonlySet<string>
  /** The own addresses of the gateway's machine, from which the proxies of its pools leave, as far as they are known. */
  readonly own?: ReadonlyArray<string>
}

const encode = Schema.encodeEffect(ShopFile)

const gateway = { name: "gateway", isOwn: true }

const olderDatabase =
  "The database is older than the shop; start the service once, so that running orders keep their articles"
const nothingToPrice = "The database has no shop yet; apply the whole file with shop apply"

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
    const isUsed = offers.some(({ country_code, external_id, kind, options, provider, renewable }) => {
      const subject = { vendor: provider, kind, country: country_code, article: external_id }
      // A rule may itself hide its offers, so unlisted offers count while they are sold for renewals.
      return renewable && options.some(({ period_days }) => matches(rule, { ...subject, days: period_days }))
    })
    return isUsed ? [] : warningOf(faultAt(["prices", index], "no offer of the catalog matches this rule"))
  })

/** Reads the present shop without its state. */
const rowsIn = ({ addresses, articles, pools, rules }: ShopRepo["Service"]) =>
  Effect.all({ addresses, articles, pools, rules })

/** Text of a line that asks for attention. */
const warningOf = ({ field, line, reason }: ShopFault) =>
  `? ${field === "" ? "" : `${field} in `}line ${line}: ${reason}`

/** Says why `apply` refuses false goods. */
const refusalOf = ({ check, fault }: FalseGoods): ShopFault => ({
  ...fault,
  reason: `${fault.reason}. The service takes real money, so shop apply refuses this; DOCTOR_ALLOW=${check} allows it`
})

/** `begin`: the first shop of a database. Only `apply` refuses false goods. */
type Use = "plan" | "apply" | "begin"

const termsOf = Effect.fnUntraced(function* (repo: ShopRepo["Service"], change: ShopChange) {
  const { isSelling, takesRealMoney = false } = change
  return Option.match(yield* repo.terms, {
    onNone: (): Terms => ({ isSelling, takesRealMoney }),
    onSome: ({ sells_gateway, takes_real_money }) => ({
      isSelling: sells_gateway,
      takesRealMoney: takesRealMoney || takes_real_money
    })
  })
})

/** Makes the shop what its file says, in the caller's transaction. Returns the lines of the report. */
const makeChange = Effect.gen(function* () {
  const repo = yield* ShopRepo
  const stock = yield* GatewayStock
  const writer = yield* CatalogWriter

  const moment = Effect.all({
    offers: repo.offers,
    addresses: repo.addresses,
    articles: repo.articles,
    held: repo.held,
    announce_above: Effect.map(repo.state, (state) => Option.getOrUndefined(state)?.announce_above)
  })
  const rows = rowsIn(repo)

  /**
   * True unless the catalog shows that no port is free: articles are in stock, and all are shown as sold out. A command does
   * not know the ports of the service, so the articles that it writes are sold out too.
   */
  const hasPorts = Effect.fnUntraced(function* (shown: ReadonlyArray<OfferRow>) {
    const offers = shown.filter(({ listed, provider }) => listed && provider === gateway.name)
    if (offers.some(({ is_available }) => is_available)) return true
    const listed = new Set(offers.map(({ external_id }) => external_id))
    return !(yield* stock.articles).some(({ external_id, is_available }) => is_available && listed.has(external_id))
  })

  const changeCatalog = Effect.fnUntraced(function* (isSelling: boolean, hasPorts: boolean) {
    const others = yield* writer.repriceOthers(gateway.name)
    if (!isSelling) return others
    const articles = (yield* stock.articles).map((article) => ({
      ...article,
      is_available: article.is_available && hasPorts
    }))
    return others + (yield* writer.replace(gateway, articles))
  })

  return Effect.fnUntraced(function* (change: ShopChange, use: Use) {
    const { is_demo, isPricesOnly = false, own = [] } = change
    yield* repo.lock
    const { isSelling, takesRealMoney } = yield* termsOf(repo, change)
    const before = yield* moment
    const current = yield* rows
    const described = { ...rowsOf(change.shop), is_demo }
    const present = { ...current, ...Option.getOrUndefined(yield* repo.state) }
    const wanted = isPricesOnly ? { ...described, ...present, rules: described.rules } : described
    const doubts = isPricesOnly || !isSelling ? [] : falseGoods(change, { is_demo, own })
    const refused = doubts.filter(({ check }) => takesRealMoney && change.accepted?.has(check) !== true)
    const bought = Effect.all({ held: repo.held, ordered: repo.ordered })
    const faults = [
      ...(isPricesOnly ? [] : conflicts(change, wanted, { ...current, ...(yield* bought) })),
      ...(use === "apply" ? refused.map(refusalOf) : [])
    ]
    if (faults.length > 0) return yield* new ShopRefused({ faults: inOrder(faults) })
    const sellsPorts = yield* hasPorts(before.offers)
    yield* repo.write(wanted)
    yield* writer.changing(changeCatalog(isSelling, sellsPorts), { fills: isSelling })
    const after = yield* moment
    return [
      ...ShopReport.linesOf(before, after),
      ...unusedRules(change, after.offers),
      ...doubts.map((doubt) => warningOf(refused.includes(doubt) ? refusalOf(doubt) : doubt.fault))
    ]
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
    /** Records the terms of the service that starts. */
    readonly record: (terms: Terms) => Effect.Effect<void>
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
      const changeExisting = Effect.fnUntraced(function* (wanted: ShopChange, use: Use) {
        const { isSelling } = yield* termsOf(repo, wanted)
        if (isSelling && Option.isNone(yield* repo.state)) {
          const older = (yield* repo.hadOffers) ? olderDatabase : undefined
          const reason = older ?? (wanted.isPricesOnly === true ? nothingToPrice : undefined)
          if (reason !== undefined) return yield* new ShopRefused({ faults: [wanted.faultAt([], reason)] })
        }
        return yield* change(wanted, use)
      })

      const plan = (wanted: ShopChange) =>
        changeExisting(wanted, "plan").pipe(
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
        yield* Effect.orDie(change(wanted, "begin"))
        return "begun"
      }, atomically)

      const isDemo = Effect.map(repo.state, (state) => Option.exists(state, ({ is_demo }) => is_demo))

      return Shop.of({
        plan,
        apply: (wanted) => atomically(changeExisting(wanted, "apply")),
        begin,
        record: ({ isSelling, takesRealMoney }) =>
          repo.recordTerms({ sells_gateway: isSelling, takes_real_money: takesRealMoney }),
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

import { Context, Effect, Layer, Option, Schema } from "effect"
import { CatalogWriter } from "../catalog/CatalogWriter.ts"
import { GatewayStock } from "../gateway/GatewayStock.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { inParts } from "../platform/InParts.ts"
import * as ChangeShop from "./ChangeShop.ts"
import { type Effects, type ShopChange, ShopRefused, type Terms, termsOf } from "./ChangeShop.ts"
import { Article, ShopFile } from "./ShopFile.ts"
import * as ShopReport from "./ShopReport.ts"
import { type OfferRow, ShopRepo, type ShopRows } from "./ShopRepo.ts"
import { fileOf } from "./ShopRows.ts"
import { versionOf } from "./ShopVersion.ts"

const encode = Schema.encodeEffect(ShopFile)
const encodeArticles = Schema.encodeEffect(Schema.Record(Schema.String, Article))

const olderDatabase =
  "The database is older than the shop; start the service once, so that running orders keep their articles"
const nothingToPrice = "The database has no shop yet; apply the whole file with shop apply"

/** Writes a shop file. The library for YAML is loaded only for that: most processes write none. */
export const textOf = Effect.fnUntraced(function* (file: typeof ShopFile.Encoded) {
  const { written } = yield* Effect.promise(() => import("./WriteShopFile.ts"))
  return written(file)
})

/** Leaves out removed articles that no running order can extend, and pools that nothing uses. */
const inUse = <A extends Pick<ShopRows, "addresses" | "articles" | "pools">>(
  rows: A,
  offers: ReadonlyArray<OfferRow>
): A => {
  const running = new Set(
    offers.flatMap(({ external_id, provider, running }) => (provider === "gateway" && running > 0 ? external_id : []))
  )
  const articles = rows.articles.filter(({ id, state }) => state !== "renew_only" || running.has(id))
  const used = new Set([...articles, ...rows.addresses].map(({ pool }) => pool))
  return { ...rows, articles, pools: rows.pools.filter(({ name }) => used.has(name)) }
}

/** The shop of the database. */
export interface PresentShop {
  /** The shop as a shop file has it. */
  readonly file: typeof ShopFile.Encoded
  /** Identifies the shop. A change that names another version is refused. */
  readonly version: string
  readonly is_demo: boolean
}

/** Plans, applies and exports what the operator sells (docs/shop.md). */
export class Shop extends Context.Service<
  Shop,
  {
    /** Returns what `apply` would change. It changes nothing, and neither sales nor another change wait for it. */
    readonly plan: (change: ShopChange) => Effect.Effect<Effects, ShopRefused>
    /** Makes the shop what its file says, in one transaction: orders see the old shop or the new one. */
    readonly apply: (change: ShopChange) => Effect.Effect<Effects, ShopRefused>
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
    /** The present shop with its version. Undefined: the database has no shop. */
    readonly present: Effect.Effect<PresentShop | undefined>
    /** The present shop as the text of a file. */
    readonly exported: Effect.Effect<string | undefined>
    /** The version of the present shop, also in the transaction of a change. */
    readonly version: Effect.Effect<string>
  }
>()("app/shop/Shop") {
  static readonly layerNoDeps = Layer.effect(
    Shop,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const repo = yield* ShopRepo
      const change = yield* ChangeShop.make

      /** Refuses a change before the first shop, which keeps the articles of running orders for renewals. */
      const changeExisting = Effect.fnUntraced(function* (wanted: ShopChange, use: ChangeShop.Use) {
        if (use === "plan") yield* repo.readOnly
        const { isSelling } = yield* termsOf(repo, wanted)
        if (isSelling && Option.isNone(yield* repo.state)) {
          const older = (yield* repo.hadOffers) ? olderDatabase : undefined
          const reason = older ?? (wanted.isPricesOnly === true ? nothingToPrice : undefined)
          if (reason !== undefined) return yield* new ShopRefused({ faults: [wanted.faultAt([], reason)] })
        }
        return yield* change(wanted, use)
      })

      const { addresses, articles, pools, rules } = repo
      const rows = Effect.all({ addresses, articles, pools, rules })

      const present = Effect.gen(function* () {
        yield* repo.readOnly
        const state = Option.getOrUndefined(yield* repo.state)
        if (state === undefined) return undefined
        const whole = yield* rows
        const used = inUse(whole, yield* repo.offers)
        const described = fileOf({ ...used, announce_above: state.announce_above })
        const articles = yield* inParts(Object.entries(described.articles), (part) =>
          Effect.map(encodeArticles(Object.fromEntries(part)), Object.entries)
        )
        const file = { ...(yield* encode({ ...described, articles: {} })), articles: Object.fromEntries(articles) }
        return { file, version: versionOf(whole, state), is_demo: state.is_demo }
      }).pipe(Effect.orDie, atomically)

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
        plan: (wanted) => atomically(changeExisting(wanted, "plan")),
        apply: (wanted) => atomically(changeExisting(wanted, "apply")),
        begin,
        record: ({ isSelling, takesRealMoney }) =>
          repo.recordTerms({ sells_gateway: isSelling, takes_real_money: takesRealMoney }),
        present,
        exported: Effect.flatMap(present, (shop) =>
          shop === undefined ? Effect.succeed(undefined) : textOf(shop.file)
        ),
        version: Effect.zipWith(rows, repo.state, (rows, state) => versionOf(rows, Option.getOrUndefined(state))),
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

import { Data, Effect, Option } from "effect"
import { CatalogWriter } from "../catalog/CatalogWriter.ts"
import { GatewayStock } from "../gateway/GatewayStock.ts"
import { inOrder } from "./CheckShopFile.ts"
import { type FalseGoods, falseGoods } from "./FalseGoods.ts"
import * as PredictShop from "./PredictShop.ts"
import type { ReadShop, ShopFault } from "./ReadShopFile.ts"
import { conflicts, otherGoods } from "./ShopConflicts.ts"
import * as ShopReport from "./ShopReport.ts"
import { type OfferRow, ShopRepo, type ShopRows } from "./ShopRepo.ts"
import { rowsOf } from "./ShopRows.ts"
import { misnamed, unused } from "./ShopRules.ts"
import { versionOf } from "./ShopVersion.ts"

/**
 * The file contradicts what customers have bought. Or it is outdated: the shop is not the one from which the change was made
 * (`version_conflict`), or it would change something else than the plan showed (`catalog_changed`).
 */
export class ShopRefused extends Data.TaggedError("ShopRefused")<{
  readonly faults: ReadonlyArray<ShopFault>
  readonly outdated?: "version_conflict" | "catalog_changed"
}> {}

/** The terms on which the service sells. */
export interface Terms {
  /** False when the gateway is not one of the providers: its articles are kept, but not sold. */
  readonly isSelling: boolean
  /** True when a payment gateway that takes real money is on. */
  readonly takesRealMoney: boolean
}

/**
 * A file to apply, with the settings of the process that applies it. The settings of the running service may differ. Each
 * start of the service records its terms; `termsOf` joins the two.
 */
export interface ShopChange extends ReadShop {
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
  /** The `id` of the plan that the operator has seen. Another effect is refused. */
  readonly plan?: string
  /** The `version` of the shop from which the change was made. A change of another shop is refused. */
  readonly version?: string
}

/** The effects of a change. */
export interface Effects {
  /** The lines of the report. */
  readonly lines: ReadonlyArray<string>
  /** Identifies the effects on customers. */
  readonly id: string
}

const gateway = { name: "gateway", isOwn: true }

/** Text of a line that asks for attention. */
const warningOf = ({ field, line, reason }: ShopFault) =>
  `? ${field === "" ? "" : `${field} in `}line ${line}: ${reason}`

const notSold =
  "? The service runs without its gateway (PROVIDERS), so the articles of this file are kept, but not on sale"

const otherEffects =
  "This would change something else than the plan showed, because the file, the shop or the catalog has changed since; plan again"

const otherShop = "The shop has changed since the change was begun; begin with the present shop"

const otherChanges =
  "? The file also changes pools, articles or renewals; shop plan shows these changes, and shop apply makes them"

interface Checked {
  readonly before: ShopReport.Moment
  readonly pools: ShopRows["pools"]
  readonly wanted: PredictShop.Wanted
}

/** True when the whole file would change more than its prices alone. */
const changesMore = Effect.fnUntraced(function* ({ before, pools, wanted }: Checked, whole: PredictShop.Wanted) {
  const [some, all] = yield* Effect.all([
    PredictShop.after(before, pools, wanted),
    PredictShop.after(before, pools, whole)
  ])
  return (yield* ShopReport.idOf(before, some)) !== (yield* ShopReport.idOf(before, all))
})

/** Says why `apply` refuses false goods. */
const refusalOf = ({ check, fault }: FalseGoods): ShopFault => ({
  ...fault,
  reason: `${fault.reason}. The service takes real money, so shop apply refuses this; DOCTOR_ALLOW=${check} allows it`
})

/** `begin`: the first shop of a database. Only `apply` refuses false goods. */
export type Use = "plan" | "apply" | "begin"

/** Joins the terms of a command with those that the service recorded: its providers count, and real money of either. */
export const termsOf = Effect.fnUntraced(function* (repo: ShopRepo["Service"], change: ShopChange) {
  const { isSelling, takesRealMoney = false } = change
  return Option.match(yield* repo.terms, {
    onNone: (): Terms => ({ isSelling, takesRealMoney }),
    onSome: ({ sells_gateway, takes_real_money }) => ({
      isSelling: sells_gateway,
      takesRealMoney: takesRealMoney || takes_real_money
    })
  })
})

/** Writes the wanted shop and its offers. */
const makeWrite = Effect.gen(function* () {
  const repo = yield* ShopRepo
  const stock = yield* GatewayStock
  const writer = yield* CatalogWriter

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

  return Effect.fnUntraced(function* (before: ShopReport.Moment, wanted: PredictShop.Wanted) {
    const { isSelling } = wanted
    const sellsPorts = yield* hasPorts(before.offers)
    yield* repo.forget(otherGoods(wanted.articles, before.articles).map(({ id }) => id))
    yield* repo.write(wanted)
    yield* writer.changing(changeCatalog(isSelling, sellsPorts), { fills: isSelling })
  })
})

/** Makes the shop what its file says, in the caller's transaction; for a plan, predicts it in one that only reads. */
export const make = Effect.gen(function* () {
  const repo = yield* ShopRepo
  const write = yield* makeWrite

  const moment = Effect.all({
    offers: repo.offers,
    addresses: repo.addresses,
    articles: repo.articles,
    held: repo.held,
    announce_above: Effect.map(repo.state, (state) => Option.getOrUndefined(state)?.announce_above)
  })

  const rows = Effect.all({
    addresses: repo.addresses,
    articles: repo.articles,
    pools: repo.pools,
    rules: repo.rules
  })

  /** Refuses a change that was made from another shop than the present one. */
  const checkVersion = Effect.fnUntraced(function* ({ faultAt, version }: ShopChange) {
    if (version === undefined || version === versionOf(yield* rows, Option.getOrUndefined(yield* repo.state))) return
    return yield* new ShopRefused({ faults: [faultAt([], otherShop)], outdated: "version_conflict" })
  })

  /** Reads the present shop and the wanted one. Fails with the faults of the file. */
  const check = Effect.fnUntraced(function* (change: ShopChange, use: Use) {
    const { is_demo, isPricesOnly = false, own = [] } = change
    const { isSelling, takesRealMoney } = yield* termsOf(repo, change)
    const before = yield* moment
    const current = yield* rows
    const described = { ...rowsOf(change.shop), is_demo }
    const present = { ...current, ...Option.getOrUndefined(yield* repo.state) }
    const shop = isPricesOnly ? { ...described, ...present, rules: described.rules } : described
    const doubts = isPricesOnly || !isSelling ? [] : falseGoods(change, { is_demo, own })
    const refused = doubts.filter(({ check }) => takesRealMoney && change.accepted?.has(check) !== true)
    const bought = { held: before.held, ordered: yield* repo.ordered }
    const faults = [
      ...misnamed(change, { articles: current.articles, offers: before.offers }),
      ...(isPricesOnly ? [] : conflicts(change, shop, { ...current, ...bought })),
      ...(use === "apply" ? refused.map(refusalOf) : [])
    ]
    if (faults.length > 0) return yield* new ShopRefused({ faults: inOrder(faults) })
    const wanted: PredictShop.Wanted = { ...shop, prices: change.shop.prices ?? [], isSelling }
    const warnings = [
      ...doubts.map((doubt) => warningOf(refused.includes(doubt) ? refusalOf(doubt) : doubt.fault)),
      ...(isSelling || isPricesOnly ? [] : [notSold])
    ]
    const whole = { ...described, prices: wanted.prices, isSelling }
    const isMore = isPricesOnly && (yield* changesMore({ before, pools: current.pools, wanted }, whole))
    return { before, pools: current.pools, wanted, warnings: isMore ? [...warnings, otherChanges] : warnings }
  })

  return Effect.fnUntraced(function* (change: ShopChange, use: Use) {
    if (use !== "plan") yield* repo.lock
    yield* checkVersion(change)
    const { before, pools, wanted, warnings } = yield* check(change, use)
    if (use !== "plan") yield* write(before, wanted)
    const after = yield* use === "plan" ? PredictShop.after(before, pools, wanted) : moment
    const id = yield* ShopReport.idOf(before, after)
    if (change.plan !== undefined && change.plan !== id)
      return yield* new ShopRefused({ faults: [change.faultAt([], otherEffects)], outdated: "catalog_changed" })
    const lines = [
      ...(yield* ShopReport.linesOf(before, after)),
      ...ShopReport.losing(after.offers),
      ...unused(change, after.offers).map(warningOf),
      ...warnings
    ]
    return { lines, id } satisfies Effects
  })
})

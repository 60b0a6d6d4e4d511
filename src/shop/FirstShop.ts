import { Effect, Layer } from "effect"
import { type ExitAddress, GatewayExitAddresses } from "../gateway/GatewayConfig.ts"
import { Providers } from "../provider/Providers.ts"
import * as DemoShop from "./DemoShop.ts"
import { Shop } from "./Shop.ts"
import type { ShopFile } from "./ShopFile.ts"

/**
 * Puts the exit addresses of `GATEWAY_EXIT_IPS` into one pool for each country, which datacenter articles sell from. The
 * other articles have no addresses of their own, so only their running orders are extended. Without addresses nothing is
 * on sale.
 */
export const adopt = (demo: ShopFile, exits: ReadonlyArray<ExitAddress>): ShopFile => {
  const own = new Map(
    Object.entries(Object.groupBy(exits, ({ country_code }) => country_code)).map(([country, addresses = []]) => [
      `${country.toLowerCase()}-datacenter`,
      { country, kind: "datacenter" as const, exits: addresses.map(({ ip }) => ip) }
    ])
  )
  const isSold = ({ ip_version, pool }: ShopFile["articles"][string]) =>
    own.get(pool)?.exits.some((ip) => ip.includes(":") === (ip_version === "IPv6")) === true
  return {
    ...demo,
    pools: { ...demo.pools, ...Object.fromEntries(own) },
    articles: Object.fromEntries(
      Object.entries(demo.articles).map(([id, article]) => [
        id,
        isSold(article) ? article : { ...article, state: "renew_only" as const }
      ])
    )
  }
}

const adopted =
  "The addresses of GATEWAY_EXIT_IPS are pools of the shop now, for datacenter proxies; give residential and mobile proxies pools of their own with shop apply (docs/shop.md)"
const notOnSale =
  "The gateway sells nothing, because the service takes real money and the shop has no exit addresses; running orders can be extended. Describe in shop.yaml what the gateway sells, and apply it (docs/shop.md)"
const empty = "The shop is empty: describe in shop.yaml what the gateway sells, and apply it (docs/shop.md)"
const unused =
  "GATEWAY_EXIT_IPS is not used: the pools of the shop have the exit addresses (docs/shop.md); remove the setting"

/** Returns the text of the warning that the operator needs. */
const warningOf = (begun: "exists" | "none" | "begun", takesRealMoney: boolean, hasExits: boolean) => {
  if (begun === "none") return empty
  if (begun === "exists") return hasExits ? unused : undefined
  if (hasExits) return adopted
  return takesRealMoney ? notOnSale : undefined
}

/**
 * Gives a database without a shop the demo shop: an empty one, unless the service takes real money, and one of an earlier
 * version, whose articles it describes. The check of the start has run before, so for real money nothing of the demo is put
 * on sale.
 */
const begin = Effect.fnUntraced(function* (takesRealMoney: boolean, isSelling: boolean) {
  const exits = yield* GatewayExitAddresses
  const shop = yield* Shop
  const begun = yield* shop.begin(
    Effect.gen(function* () {
      if (takesRealMoney && !(yield* shop.hadOffers)) return undefined
      const { faultAt, shop: file } = yield* DemoShop.load
      const isDemo = exits.length === 0 && !takesRealMoney
      return { shop: isDemo ? file : adopt(file, exits), faultAt, is_demo: isDemo, isSelling }
    })
  )
  const warning = warningOf(begun, takesRealMoney, exits.length > 0)
  if (warning !== undefined) yield* Effect.logWarning(warning)
})

/**
 * Runs before the first sync of the catalog, and records the terms of the service for the commands of the shop.
 * `takesRealMoney`: a payment gateway that takes real money is on.
 */
export const layerIf = <E, R>(takesRealMoney: Effect.Effect<boolean, E, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const providers = yield* Providers
      const isSelling = providers.get("gateway") !== undefined
      const isRealMoney = yield* takesRealMoney
      yield* Shop.use((shop) => shop.record({ isSelling, takesRealMoney: isRealMoney }))
      if (providers.all.some(({ isOwn }) => isOwn === true)) yield* begin(isRealMoney, isSelling)
    })
  ).pipe(Layer.provide(Shop.layer))

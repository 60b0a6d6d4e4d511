import { Effect, Layer, Result } from "effect"
import * as fs from "node:fs"
import type { GatewayProxy } from "../../src/gateway/GatewayProxy.ts"
import { read } from "../../src/shop/ReadShopFile.ts"
import { Shop } from "../../src/shop/Shop.ts"
import type { ShopFile } from "../../src/shop/ShopFile.ts"

const example = fs.readFileSync(new URL("../../shop.example.yaml", import.meta.url), "utf8")

/** The demo shop. */
export const demo = Result.getOrThrow(read(example))

/** The id of an article of the demo shop. */
export const articleOf = ({
  country_code = "US",
  ip_version = "IPv4",
  kind = "datacenter"
}: Partial<Pick<GatewayProxy, "country_code" | "ip_version" | "kind">> = {}) =>
  `${kind}-${ip_version}-${country_code}`.toLowerCase()

/** Makes the shop what `file` says. */
export const apply = (file: ShopFile) =>
  Shop.use((shop) => shop.apply({ shop: file, faultAt: demo.faultAt, is_demo: false, isSelling: true }))

/** The demo shop with addresses for some pools, by their names. */
const withExits = (exits: Record<string, ReadonlyArray<string>>): ShopFile => ({
  ...demo.shop,
  pools: {
    ...demo.shop.pools,
    ...Object.fromEntries(
      Object.entries(exits).map(([name, addresses]) => [name, { ...demo.shop.pools[name]!, exits: addresses }])
    )
  }
})

/** Applies the demo shop, with addresses for some pools. */
export const layer = (exits: Record<string, ReadonlyArray<string>> = {}) =>
  Layer.effectDiscard(Effect.orDie(apply(withExits(exits)))).pipe(Layer.provide(Shop.layer))

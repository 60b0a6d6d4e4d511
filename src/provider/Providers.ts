import { Config, Context, Effect, Layer, Schema } from "effect"
import { GatewayProxies } from "../gateway/GatewayProxies.ts"
import * as GatewayProvider from "./adapters/GatewayProvider.ts"
import * as IpRoyalProvider from "./adapters/IpRoyalProvider.ts"
import * as ProxySellerProvider from "./adapters/ProxySellerProvider.ts"
import type { ProxyProvider } from "./ProxyProvider.ts"
import { AskedPrices } from "./AskedPrices.ts"
import { VendorPurchases } from "./VendorPurchases.ts"

/** How to build each provider that `PROVIDERS` may name. */
const adapters = {
  gateway: GatewayProvider.make,
  iproyal: IpRoyalProvider.make,
  "proxy-seller": ProxySellerProvider.make
}

type Name = keyof typeof adapters
const known = Object.keys(adapters)
const isKnown = (name: string): name is Name => Object.hasOwn(adapters, name)

const namesOf = (list: string) => [...new Set(list.split(",").flatMap((name) => name.trim() || []))]

export const Names = Config.schema(
  Schema.String.check(
    Schema.makeFilter((list) => {
      const names = namesOf(list)
      return (
        (names.length > 0 && names.every(isKnown)) ||
        `PROVIDERS must be a comma list of known providers (${known.join(", ")}), got "${list}"`
      )
    })
  ),
  "PROVIDERS"
).pipe(
  Config.withDefault("gateway"),
  Config.map((list) => namesOf(list).filter(isKnown))
)

/** The providers that are on, by name. Each offer belongs to one of them. */
export class Providers extends Context.Service<
  Providers,
  {
    readonly all: ReadonlyArray<ProxyProvider>
    readonly get: (name: string) => ProxyProvider | undefined
  }
>()("app/provider/Providers") {
  static from(all: ReadonlyArray<ProxyProvider>) {
    const byName = new Map(all.map((provider) => [provider.name, provider]))
    return Providers.of({ all, get: (name) => byName.get(name) })
  }

  static layerOf = (...all: ReadonlyArray<ProxyProvider>) => Layer.succeed(this, this.from(all))

  /** The adapters that `PROVIDERS` names; an unknown name stops the start. */
  static readonly layerNoDeps = Layer.effect(
    Providers,
    Effect.gen(function* () {
      const all: Array<ProxyProvider> = []
      for (const name of yield* Names) all.push(yield* adapters[name])
      return Providers.from(all)
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([GatewayProxies.layer, AskedPrices.layer, VendorPurchases.layer])
  )
}

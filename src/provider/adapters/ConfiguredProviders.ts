import { Config, Effect, Layer, Schema } from "effect"
import { GatewayProxies } from "../../gateway/GatewayProxies.ts"
import { CallCounts } from "../CallCounts.ts"
import { countCalls } from "../CountCalls.ts"
import { providerNames } from "../ProviderNames.ts"
import { Providers } from "../Providers.ts"
import type { ProxyProvider } from "../ProxyProvider.ts"
import { AskedPrices } from "../vendors/AskedPrices.ts"
import { VendorPurchases } from "../vendors/VendorPurchases.ts"
import * as GatewayProvider from "./GatewayProvider.ts"
import * as IpRoyalProvider from "./IpRoyalProvider.ts"
import * as ProxySellerProvider from "./ProxySellerProvider.ts"

/** The adapter of each name that `PROVIDERS` may contain. */
const adapters = {
  gateway: GatewayProvider.make,
  iproyal: IpRoyalProvider.make,
  "proxy-seller": ProxySellerProvider.make
} satisfies Record<(typeof providerNames)[number], unknown>

type Name = keyof typeof adapters
const isKnown = (name: string): name is Name => Object.hasOwn(adapters, name)

const namesOf = (list: string) => [...new Set(list.split(",").flatMap((name) => name.trim() || []))]

/** `PROVIDERS`: the names of the enabled providers; `gateway` by default. */
export const Names = Config.schema(
  Schema.String.check(
    Schema.makeFilter((list) => {
      const names = namesOf(list)
      return (
        (names.length > 0 && names.every(isKnown)) ||
        `PROVIDERS must be a comma-separated list of known providers (${providerNames.join(", ")}), got "${list}"`
      )
    })
  ),
  "PROVIDERS"
).pipe(
  Config.withDefault("gateway"),
  Config.map((list) => namesOf(list).filter(isKnown))
)

/** Builds the providers that `PROVIDERS` names, and counts their calls. An unknown name stops the start. */
export const layerNoDeps = Layer.effect(
  Providers,
  Effect.gen(function* () {
    const counts = yield* CallCounts
    const all: Array<ProxyProvider> = []
    for (const name of yield* Names) all.push(countCalls(yield* adapters[name], counts))
    return Providers.from(all)
  })
)

export const layer = layerNoDeps.pipe(
  Layer.provide([GatewayProxies.layer, AskedPrices.layer, CallCounts.layer, VendorPurchases.layer])
)

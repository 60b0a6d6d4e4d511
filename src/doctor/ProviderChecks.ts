import { type Config, Effect, Result } from "effect"
import * as GatewayConfig from "../gateway/GatewayConfig.ts"
import { toDecimal } from "../platform/Money.ts"
import * as ExplainSetting from "../platform/settings/ExplainSetting.ts"
import { GatewayHost } from "../platform/settings/GatewayHost.ts"
import { Names } from "../provider/adapters/ConfiguredProviders.ts"
import * as IpRoyal from "../provider/adapters/IpRoyalClient.ts"
import * as ProxySeller from "../provider/adapters/ProxySellerClient.ts"
import { type Check, failed } from "./Check.ts"
import { LeastBalance } from "./LeastBalance.ts"
import { ListedOffers } from "./ListedOffers.ts"
import { NotKnown } from "./NotKnown.ts"
import { VendorBalances } from "./VendorBalances.ts"

const dollars = (micros: bigint) => `${toDecimal("USD", micros)} dollars`

type Name = Effect.Success<typeof Names>[number]

const gateway = Effect.all([
  GatewayConfig.GatewayAllow,
  GatewayConfig.GatewayBind,
  GatewayConfig.GatewayExitAddresses,
  GatewayConfig.GatewayPorts,
  GatewayHost
])

const settingsOf: Record<Name, Effect.Effect<unknown, Config.ConfigError>> = {
  gateway,
  iproyal: IpRoyal.Settings,
  "proxy-seller": ProxySeller.Settings
}

const settings: Check = {
  id: "provider.settings",
  severity: "error",
  run: Effect.flatMap(Names, (names) => Effect.forEach(names, (name) => settingsOf[name])).pipe(
    Effect.match({ onFailure: (error) => failed(ExplainSetting.explain(error)), onSuccess: () => undefined })
  )
}

/** Asks each vendor for its offers. */
const listings = Effect.gen(function* () {
  const { of } = yield* ListedOffers
  const vendors = (yield* Names).filter((name) => name !== "gateway")
  return yield* Effect.forEach(
    vendors,
    (name) => Effect.map(Effect.result(of(name)), (listing) => ({ name, listing })),
    { concurrency: "unbounded" }
  )
})

/** Fails with the vendors that `isWrong` finds, else with the vendors that do not answer. */
const judge = Effect.fnUntraced(function* (
  isWrong: (listing: { readonly is_key_refused: boolean; readonly offers: ReadonlyArray<unknown> }) => boolean,
  textOf: (names: string) => string
) {
  const found = yield* listings
  const wrong = found.filter(({ listing }) => Result.isSuccess(listing) && isWrong(listing.success))
  if (wrong.length > 0) return failed(textOf(wrong.map(({ name }) => name).join(", ")))
  // Without a database, all vendors have the same reason.
  const reasons = new Set(found.flatMap(({ listing }) => (Result.isFailure(listing) ? [listing.failure.reason] : [])))
  if (reasons.size > 0) return yield* new NotKnown({ reason: [...reasons].join("; ") })
  return undefined
})

const key: Check = {
  id: "vendor.key",
  severity: "blocker",
  asksOutside: true,
  run: judge(
    ({ is_key_refused }) => is_key_refused,
    (names) =>
      `The vendor refuses the key of ${names}: every order of its offers would be refunded; check the key, its allowed addresses and its limit of calls (docs/providers.md)`
  )
}

const empty: Check = {
  id: "vendor.empty",
  severity: "error",
  asksOutside: true,
  run: judge(
    ({ is_key_refused, offers }) => !is_key_refused && offers.length === 0,
    (names) => `${names} lists nothing that can be sold; check the account there, or remove the vendor from PROVIDERS`
  )
}

const balance: Check = {
  id: "vendor.balance",
  severity: "error",
  asksOutside: true,
  run: Effect.gen(function* () {
    const least = yield* LeastBalance
    const told = yield* VendorBalances.use(({ all }) => all)
    const low = told.flatMap(({ balance, name }) =>
      typeof balance === "bigint" && balance < least ? [`${name} has ${dollars(balance)}`] : []
    )
    if (low.length > 0)
      return failed(
        `Too little money at your vendors (${low.join(", ")}; VENDOR_BALANCE_MIN_USD is ${dollars(least)}): the service refunds the orders that they refuse; top it up`
      )
    const unknown = told.flatMap(({ balance }) => (typeof balance === "bigint" ? [] : [balance.reason]))
    if (unknown.length > 0) return yield* new NotKnown({ reason: unknown.join("; ") })
    return undefined
  })
}

export const checks: ReadonlyArray<Check> = [settings, key, empty, balance]

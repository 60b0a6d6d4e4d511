import { Context, Effect, Layer, References, Result } from "effect"
import { Providers } from "../provider/Providers.ts"
import type { ProxyProvider } from "../provider/ProxyProvider.ts"
import { accessRefused } from "../provider/vendors/VendorFailure.ts"
import { NotKnown } from "./NotKnown.ts"

export interface VendorBalance {
  readonly name: string
  /** In micro-dollars (10^-6 dollar), or the reason why it is not known. */
  readonly balance: bigint | NotKnown
}

const timeout = "30 seconds"

const balanceOf = ({ balance, name }: ProxyProvider): Effect.Effect<bigint, NotKnown> =>
  balance === undefined
    ? Effect.fail(new NotKnown({ reason: `${name} does not tell your balance; look at your account there` }))
    : balance.pipe(
        Effect.mapError(
          ({ reason }) =>
            // `vendor.key` explains a refused key.
            new NotKnown({ reason: reason === accessRefused ? "see vendor.key" : `${name}: ${reason}` })
        ),
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.fail(new NotKnown({ reason: `${name}: no answer within ${timeout}` }))
        }),
        // The findings say what the adapter would log.
        Effect.provideService(References.MinimumLogLevel, "None")
      )

/** The operator's money at the enabled vendors. The built-in gateway is none. */
export class VendorBalances extends Context.Service<
  VendorBalances,
  { readonly all: Effect.Effect<ReadonlyArray<VendorBalance>, NotKnown> }
>()("app/doctor/VendorBalances") {
  static readonly layer = Layer.effect(
    VendorBalances,
    Effect.map(Providers, ({ all }) => ({
      all: Effect.forEach(
        all.filter(({ isOwn }) => isOwn !== true),
        (vendor) =>
          Effect.map(Effect.result(balanceOf(vendor)), (told): VendorBalance => ({
            name: vendor.name,
            balance: Result.merge(told)
          })),
        { concurrency: "unbounded" }
      )
    }))
  )

  /** For providers that cannot be built. */
  static readonly layerUnknown = (reason: string) => Layer.succeed(this, { all: Effect.fail(new NotKnown({ reason })) })
}

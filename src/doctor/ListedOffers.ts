import { Context, Effect, Layer, References } from "effect"
import { Providers } from "../provider/Providers.ts"
import type { ProviderOffer, ProxyProvider } from "../provider/ProxyProvider.ts"
import { accessRefused } from "../provider/vendors/VendorFailure.ts"
import { NotKnown } from "./NotKnown.ts"

interface Listing {
  readonly is_key_refused: boolean
  readonly offers: ReadonlyArray<ProviderOffer>
}

const timeout = "30 seconds"

const listing = ({ name, offers }: ProxyProvider): Effect.Effect<Listing, NotKnown> =>
  Effect.map(offers, (offers): Listing => ({ is_key_refused: false, offers })).pipe(
    Effect.catch(({ reason }) =>
      reason === accessRefused
        ? Effect.succeed<Listing>({ is_key_refused: true, offers: [] })
        : Effect.fail(new NotKnown({ reason: `${name}: ${reason}` }))
    ),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.fail(new NotKnown({ reason: `${name}: no answer within ${timeout}` }))
    }),
    // The findings say what the adapter would log.
    Effect.provideService(References.MinimumLogLevel, "None")
  )

/** The offers of the enabled providers. Each provider is asked at most once. */
export class ListedOffers extends Context.Service<
  ListedOffers,
  { readonly of: (provider: string) => Effect.Effect<Listing, NotKnown> }
>()("app/doctor/ListedOffers") {
  static readonly layer = Layer.effect(
    ListedOffers,
    Effect.gen(function* () {
      const { all } = yield* Providers
      const asked = new Map<string, Effect.Effect<Listing, NotKnown>>()
      for (const provider of all) asked.set(provider.name, yield* Effect.cached(listing(provider)))
      return {
        of: (name) => asked.get(name) ?? Effect.fail(new NotKnown({ reason: `PROVIDERS does not name ${name}` }))
      }
    })
  )

  /** For providers that cannot be built. */
  static readonly layerUnknown = (reason: string) =>
    Layer.succeed(this, { of: () => Effect.fail(new NotKnown({ reason })) })
}

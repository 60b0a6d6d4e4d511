import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { VendorFault } from "./VendorFault.ts"
import { type VendorPrice, VendorPricesRepo } from "./VendorPricesRepo.ts"

/** A price is asked for again after this long. */
const freshFor = Duration.hours(12)
/** And nothing is sold at one that could not be asked for again for so long. */
const validFor = Duration.days(2)

/** How many prices one round asks for, and for how long: shorter than a sync may take. */
const maxAsked = 200
const roundTime = Duration.seconds(12)
const concurrency = 6

const isOlder = (price: VendorPrice, age: Duration.Duration, now: DateTime.Utc) =>
  Duration.isGreaterThan(DateTime.distance(price.asked_at, now), age)

/** Micro-dollars of a vendor's price in dollars; undefined when it is none. */
export const fromDollars = (dollars: number): bigint | undefined => {
  const micros = Math.round(dollars * 1_000_000)
  return Number.isSafeInteger(micros) && micros > 0 ? BigInt(micros) : undefined
}

const centMicros = 10_000n

/** What we ask for what costs us `usd`: with the markup, rounded up to a cent. */
export const withMarkup = (usd: bigint, markup_percent: number): bigint => {
  const hundredths = usd * BigInt(100 + markup_percent)
  const step = 100n * centMicros
  return ((hundredths + step - 1n) / step) * centMicros
}

/**
 * The prices of vendors that tell them one article at a time, which is too slow for one sync: they are kept in the
 * database, and each round asks for some of the missing and the oldest.
 */
export class VendorPrices extends Context.Service<
  VendorPrices,
  {
    /** Micro-dollars by article, of those that are known and sold. `ask` answers null for what is not sold. */
    readonly of: (
      provider: string,
      articles: ReadonlyArray<string>,
      ask: (article: string) => Effect.Effect<bigint | null, VendorFault>
    ) => Effect.Effect<ReadonlyMap<string, bigint>>
  }
>()("app/provider/VendorPrices") {
  static readonly layerNoDeps = Layer.effect(
    VendorPrices,
    Effect.gen(function* () {
      const repo = yield* VendorPricesRepo

      const of: VendorPrices["Service"]["of"] = Effect.fn("VendorPrices.of")(function* (provider, articles, ask) {
        const known = yield* repo.all(provider)
        const now = yield* DateTime.now
        const age = (article: string) => known.get(article)?.asked_at.epochMilliseconds ?? 0
        const due = articles
          .filter((article) => {
            const price = known.get(article)
            return price === undefined || isOlder(price, freshFor, now)
          })
          .toSorted((one, other) => age(one) - age(other))
          .slice(0, maxAsked)

        const refresh = Effect.fnUntraced(function* (article: string) {
          yield* repo.store(provider, { article, usd: yield* ask(article), asked_at: yield* DateTime.now })
        })
        // The first that gets no answer ends the round: the others would get none either.
        yield* Effect.forEach(due, refresh, { concurrency, discard: true }).pipe(
          Effect.timeoutOption(roundTime),
          Effect.catch(({ reason }) => Effect.logWarning(`Prices of ${provider} could not be asked for: ${reason}`))
        )
        yield* repo.forget(provider, DateTime.subtractDuration(now, Duration.times(validFor, 2)))

        const latest = yield* repo.all(provider)
        return new Map(
          articles.flatMap((article) => {
            const price = latest.get(article)
            return price?.usd == null || isOlder(price, validFor, now) ? [] : [[article, price.usd] as const]
          })
        )
      })

      return VendorPrices.of({ of })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(VendorPricesRepo.layer))
}

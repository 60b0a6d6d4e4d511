import { Clock, Context, DateTime, Duration, Effect, Layer } from "effect"
import { type AskedPrice, AskedPricesRepo } from "./AskedPricesRepo.ts"
import type { VendorFailure } from "./VendorFailure.ts"

/** The age at which a price is asked for again. */
const freshFor = Duration.hours(12)
/** The age from which a price no longer sells. */
const validFor = Duration.days(2)
/** The pause before an article is asked for again after the vendor refused its price. */
const retryAfter = Duration.minutes(15)

/** The limits of a round: its number of prices, and its time. A round must end before the catalog sync times out. */
const maxAsked = 200
const roundTime = Duration.seconds(12)
const concurrency = 6

const isOlder = (price: AskedPrice, age: Duration.Duration, now: DateTime.Utc) =>
  Duration.isGreaterThan(DateTime.distance(price.asked_at, now), age)

const keyOf = (provider: string, article: string) => `${provider} ${article}`

type Ask = (article: string) => Effect.Effect<bigint | null, VendorFailure>

/** Asks for the prices of articles and stores them. An article whose price the vendor refuses keeps its stored price. */
const makeRounds = (repo: AskedPricesRepo["Service"]) => {
  /** The time, in epoch milliseconds, when the vendor refused the price of an article. */
  const unpriced = new Map<string, number>()

  const forgetUnpriced = Effect.map(Clock.currentTimeMillis, (now) => {
    for (const [key, askedAt] of unpriced) if (now - askedAt >= Duration.toMillis(retryAfter)) unpriced.delete(key)
  })

  const round = Effect.fnUntraced(function* (provider: string, due: ReadonlyArray<string>, ask: Ask) {
    const refusals: Array<string> = []
    const refresh = Effect.fnUntraced(
      function* (article: string) {
        yield* repo.store(provider, { article, usd: yield* ask(article), asked_at: yield* DateTime.now })
      },
      (effect, article) =>
        Effect.catchIf(
          effect,
          ({ outcome }) => outcome === "refused",
          ({ reason }) =>
            Effect.map(Clock.currentTimeMillis, (now) => {
              refusals.push(reason)
              unpriced.set(keyOf(provider, article), now)
            })
        )
    )
    // The first unanswered call ends the round: the vendor is out of reach.
    yield* Effect.forEach(due, refresh, { concurrency, discard: true }).pipe(
      Effect.timeoutOption(roundTime),
      Effect.catch(({ reason }) =>
        Effect.logWarning(`Cannot ask ${provider} for prices: ${reason}; trying again at the next catalog sync`)
      )
    )
    if (refusals.length > 0)
      yield* Effect.logWarning(`${provider} refused the price of ${refusals.length} articles: ${refusals[0]}`)
  })

  return {
    round,
    forgetUnpriced,
    isUnpriced: (provider: string, article: string) => unpriced.has(keyOf(provider, article))
  }
}

/**
 * Keeps the prices of vendors that price one article per call. Asking for all of them is too slow for one catalog sync:
 * the database keeps the prices, and each sync asks for some that are missing or old, oldest first.
 */
export class AskedPrices extends Context.Service<
  AskedPrices,
  {
    /**
     * Returns the price of each article in micro-dollars; null for an article that the vendor does not sell. An article
     * without a known price is absent. `ask` reads one price from the vendor.
     */
    readonly of: (
      provider: string,
      articles: ReadonlyArray<string>,
      ask: Ask
    ) => Effect.Effect<ReadonlyMap<string, bigint | null>>
  }
>()("app/provider/AskedPrices") {
  static readonly layerNoDeps = Layer.effect(
    AskedPrices,
    Effect.gen(function* () {
      const repo = yield* AskedPricesRepo
      const { forgetUnpriced, isUnpriced, round } = makeRounds(repo)

      const of: AskedPrices["Service"]["of"] = Effect.fn("AskedPrices.of")(function* (provider, articles, ask) {
        const known = yield* repo.all(provider)
        const now = yield* DateTime.now
        const age = (article: string) => known.get(article)?.asked_at.epochMilliseconds ?? 0
        yield* forgetUnpriced
        const due = articles
          .filter((article) => {
            const price = known.get(article)
            return !isUnpriced(provider, article) && (price === undefined || isOlder(price, freshFor, now))
          })
          .toSorted((one, other) => age(one) - age(other))
          .slice(0, maxAsked)
        yield* round(provider, due, ask)
        yield* repo.forget(provider, DateTime.subtractDuration(now, Duration.times(validFor, 2)))

        const latest = yield* repo.all(provider)
        return new Map(
          articles.flatMap((article) => {
            const price = latest.get(article)
            return price === undefined || isOlder(price, validFor, now) ? [] : [[article, price.usd] as const]
          })
        )
      })

      return AskedPrices.of({ of })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(AskedPricesRepo.layer))
}

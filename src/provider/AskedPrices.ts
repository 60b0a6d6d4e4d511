import { Clock, Context, DateTime, Duration, Effect, Layer } from "effect"
import { type AskedPrice, AskedPricesRepo } from "./AskedPricesRepo.ts"
import type { VendorFault } from "./VendorFault.ts"

/** A price is asked for again after this long. */
const freshFor = Duration.hours(12)
/** And nothing is sold at one that could not be asked for again for so long. */
const validFor = Duration.days(2)
/** An article whose price the vendor would not tell is asked for again after this long. */
const retryAfter = Duration.minutes(15)

/** How many prices one round asks for, and for how long: shorter than a sync may take. */
const maxAsked = 200
const roundTime = Duration.seconds(12)
const concurrency = 6

const isOlder = (price: AskedPrice, age: Duration.Duration, now: DateTime.Utc) =>
  Duration.isGreaterThan(DateTime.distance(price.asked_at, now), age)

const keyOf = (provider: string, article: string) => `${provider} ${article}`

type Ask = (article: string) => Effect.Effect<bigint | null, VendorFault>

/** Asks for the prices of articles and stores them; what the vendor refuses to price keeps the price that it has. */
const asking = (repo: AskedPricesRepo["Service"]) => {
  /** When the articles were asked for that the vendor would not price. */
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
    // The first that gets no answer ends the round: the others would get none either.
    yield* Effect.forEach(due, refresh, { concurrency, discard: true }).pipe(
      Effect.timeoutOption(roundTime),
      Effect.catch(({ reason }) => Effect.logWarning(`Prices of ${provider} could not be asked for: ${reason}`))
    )
    if (refusals.length > 0)
      yield* Effect.logWarning(`${provider} would not price ${refusals.length} articles: ${refusals[0]}`)
  })

  return {
    round,
    forgetUnpriced,
    isUnpriced: (provider: string, article: string) => unpriced.has(keyOf(provider, article))
  }
}

/**
 * The prices of vendors that tell them one article at a time, which is too slow for one sync: they are kept in the
 * database, and each round asks for some of the missing and the oldest.
 */
export class AskedPrices extends Context.Service<
  AskedPrices,
  {
    /** Micro-dollars by article, of those that are known and sold. `ask` answers null for what is not sold. */
    readonly of: (
      provider: string,
      articles: ReadonlyArray<string>,
      ask: Ask
    ) => Effect.Effect<ReadonlyMap<string, bigint>>
  }
>()("app/provider/AskedPrices") {
  static readonly layerNoDeps = Layer.effect(
    AskedPrices,
    Effect.gen(function* () {
      const repo = yield* AskedPricesRepo
      const { forgetUnpriced, isUnpriced, round } = asking(repo)

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
            return price?.usd == null || isOlder(price, validFor, now) ? [] : [[article, price.usd] as const]
          })
        )
      })

      return AskedPrices.of({ of })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(AskedPricesRepo.layer))
}

import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { ProxyKind } from "./Offer.ts"
import type { SalesPause, SalesPauseId } from "./SalesPause.ts"
import {
  PauseSubjectNotFound,
  SalesAlreadyPaused,
  SalesPauseLifted,
  SalesPauseNotFound,
  SalesPauseTooLong
} from "./SalesPauseErrors.ts"
import { SalesPausesRepo } from "./SalesPausesRepo.ts"

/** A pause to place. `id` is the caller's idempotency key. */
export interface NewPause extends Pick<SalesPause, "id" | "scope" | "scope_id" | "reason" | "placed_by"> {
  /** The time until it ends by itself. */
  readonly hours: number
}

interface Lifting {
  readonly by: string
  readonly reason: string
}

const dueAtMost = 100

const isKind = Schema.is(ProxyKind)
/** The payment methods, which the folder `wallet` declares; a constraint of the table has them too. */
const isMethod = Schema.is(Schema.Literals(["crypto_gateway", "card_gateway", "messenger_stars"]))
const isOfferId = Schema.is(Schema.String.check(Schema.isPattern(/^[1-9]\d{0,8}$/)))

const makeExists = Effect.map(
  SalesPausesRepo,
  (repo) =>
    ({ scope, scope_id }: Pick<SalesPause, "scope" | "scope_id">): Effect.Effect<boolean> => {
      if (scope === "all" || scope_id === null) return Effect.succeed(scope === "all" && scope_id === null)
      switch (scope) {
        case "kind":
          return Effect.succeed(isKind(scope_id))
        case "method":
          return Effect.succeed(isMethod(scope_id))
        case "provider":
          return repo.hasProvider(scope_id)
        case "article":
          return repo.hasArticle(scope_id)
        case "offer":
          return isOfferId(scope_id) ? repo.hasOffer(Number(scope_id)) : Effect.succeed(false)
      }
    }
)

/**
 * Stops the sale of everything, of a provider, a kind, an article or an offer, or payments by a method. The database shows the
 * offers as unavailable in the transaction that places a pause, and refuses their orders in every process from its commit on.
 * Extensions and renewals go on.
 */
export class SalesPauses extends Context.Service<
  SalesPauses,
  {
    /** Places a pause in the caller's transaction, if there is one. */
    readonly place: (wanted: NewPause) => Effect.Effect<SalesPause, PauseSubjectNotFound | SalesAlreadyPaused>
    readonly lift: (
      id: SalesPauseId,
      lifting: Lifting
    ) => Effect.Effect<SalesPause, SalesPauseLifted | SalesPauseNotFound>
    /** Moves the end of a pause that stands by some hours. */
    readonly extend: (
      id: SalesPauseId,
      hours: number
    ) => Effect.Effect<SalesPause, SalesPauseLifted | SalesPauseNotFound | SalesPauseTooLong>
    readonly find: (id: SalesPauseId) => Effect.Effect<SalesPause, SalesPauseNotFound>
    /** The pauses that stand, the newest first. */
    readonly open: (limit: number) => Effect.Effect<ReadonlyArray<SalesPause>>
    /** All pauses, the newest first; older ones than `after`. */
    readonly list: (limit: number, after?: string) => Effect.Effect<ReadonlyArray<SalesPause>>
    /** Lifts the pauses whose time is over. */
    readonly liftDue: Effect.Effect<void>
  }
>()("app/catalog/SalesPauses") {
  static readonly layerNoDeps = Layer.effect(
    SalesPauses,
    Effect.gen(function* () {
      const repo = yield* SalesPausesRepo
      const exists = yield* makeExists

      const place = Effect.fn("SalesPauses.place")(function* ({ hours, ...wanted }: NewPause) {
        const placed_at = yield* DateTime.now
        if (!(yield* exists(wanted))) return yield* new PauseSubjectNotFound()
        const open = { lifted_at: null, lifted_by: null, lift_reason: null }
        const until_at = DateTime.add(placed_at, { hours })
        const pause = { ...wanted, ...open, placed_at, until_at } satisfies SalesPause
        if (!(yield* repo.insert(pause))) return yield* new SalesAlreadyPaused({ details: {} })
        return pause
      })

      const find = Effect.fn("SalesPauses.find")(function* (id: SalesPauseId) {
        return Option.getOrUndefined(yield* repo.find(id)) ?? (yield* new SalesPauseNotFound())
      })

      const lift = Effect.fn("SalesPauses.lift")(function* (id: SalesPauseId, { by, reason }: Lifting) {
        const lifted = yield* repo.lift(id, { lifted_at: yield* DateTime.now, lifted_by: by, lift_reason: reason })
        if (Option.isSome(lifted)) return lifted.value
        yield* find(id)
        return yield* new SalesPauseLifted({ details: {} })
      })

      const extend = Effect.fn("SalesPauses.extend")(function* (id: SalesPauseId, hours: number) {
        const extended = yield* repo.extend(id, hours)
        if (Option.isSome(extended)) return extended.value
        const { lifted_at } = yield* find(id)
        if (lifted_at !== null) return yield* new SalesPauseLifted({ details: {} })
        return yield* new SalesPauseTooLong({ details: {} })
      })

      const liftDue = Effect.gen(function* () {
        const now = yield* DateTime.now
        const lifting = { lifted_at: now, lifted_by: "service", lift_reason: "Its time is over" }
        const due = yield* repo.due(now, dueAtMost)
        yield* Effect.forEach(due, ({ id }) => repo.liftEnded(id, lifting), { discard: true })
      })

      return SalesPauses.of({ place, lift, extend, find, open: repo.open, list: repo.list, liftDue })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(SalesPausesRepo.layer))
}

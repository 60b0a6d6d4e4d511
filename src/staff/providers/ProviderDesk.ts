import { Context, DateTime, Effect, Layer } from "effect"
import * as Money from "../../platform/Money.ts"
import { CallHistory } from "../../provider/CallHistory.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { ProviderNotFound } from "./ProviderErrors.ts"
import { durationsOf, healthOf, type ProviderState } from "./ProviderState.ts"
import { ProvidersRepo } from "./ProvidersRepo.ts"
import type { StockedOffer } from "./StockedOffer.ts"

type By = Actor["Service"]

interface Page {
  readonly limit: number
  /** The id of the last offer of the page before. */
  readonly after?: number | undefined
}

/** The state of the providers: their calls of the last hour, the operator's money there, and their stock. */
export class ProviderDesk extends Context.Service<
  ProviderDesk,
  {
    readonly list: (actor: By) => Effect.Effect<ReadonlyArray<ProviderState>, PermissionNeeded>
    readonly find: (actor: By, name: string) => Effect.Effect<ProviderState, PermissionNeeded | ProviderNotFound>
    readonly offers: (
      actor: By,
      name: string,
      page: Page
    ) => Effect.Effect<
      { readonly items: ReadonlyArray<StockedOffer>; readonly next: number | null },
      PermissionNeeded | ProviderNotFound
    >
  }
>()("app/staff/ProviderDesk") {
  static readonly layerNoDeps = Layer.effect(
    ProviderDesk,
    Effect.gen(function* () {
      const history = yield* CallHistory
      const repo = yield* ProvidersRepo

      const all = Effect.gen(function* () {
        const counted = yield* history.since(DateTime.subtract(yield* DateTime.now, { hours: 1 }))
        return (yield* repo.all).map(({ balance_usd, low_since, name, read_at, ...offers }): ProviderState => {
          const own = counted.filter(({ provider }) => provider === name)
          return {
            name,
            offers,
            health: healthOf(own),
            balance:
              balance_usd === null || read_at === null
                ? null
                : { usd: Money.toDecimal("USD", balance_usd), is_low: low_since !== null, read_at },
            operations: own.map(({ durations, provider: _provider, ...operation }) => ({
              ...operation,
              ...durationsOf(durations)
            }))
          }
        })
      })

      const find = Effect.fnUntraced(function* (name: string) {
        const found = (yield* all).find((provider) => provider.name === name)
        return found ?? (yield* new ProviderNotFound())
      })

      return ProviderDesk.of({
        list: Effect.fn("ProviderDesk.list")((actor) => Effect.andThen(needs(actor, "provider.read"), all)),
        find: Effect.fn("ProviderDesk.find")((actor, name) =>
          Effect.andThen(needs(actor, "provider.read"), find(name))
        ),
        offers: Effect.fn("ProviderDesk.offers")(function* (actor, name, { after = 0, limit }) {
          yield* needs(actor, "provider.read")
          yield* find(name)
          const rows = yield* repo.offers(name, limit + 1, after)
          const items = rows.slice(0, limit)
          return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([CallHistory.layer, ProvidersRepo.layer]))
}

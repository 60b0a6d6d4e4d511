import { Console, DateTime, Effect, type Layer } from "effect"
import { Argument, Command } from "effect/cli"
import { userInfo } from "node:os"
import * as Actor from "../staff/Actor.ts"
import { PauseDesk } from "../staff/providers/PauseDesk.ts"
import { ProviderDesk } from "../staff/providers/ProviderDesk.ts"
import type { ProviderState } from "../staff/providers/ProviderState.ts"
import { tellFailure } from "./TellFailure.ts"

const actor = Effect.sync(() => Actor.cli(userInfo().username))
const perPage = 1_000

const balanceOf = ({ balance }: ProviderState) =>
  balance === null ? "no balance" : `${balance.usd} USD${balance.is_low ? ", low" : ""}`

const lines = (provider: ProviderState) => {
  const { health, name, offers, operations } = provider
  const counts = `${offers.listed} on sale, ${offers.in_stock} in stock, ${offers.paused} paused`
  return [
    [name, health, counts, balanceOf(provider)].join("\t"),
    ...operations.map(({ calls, failed, failure, operation, p50_ms, p95_ms, refused }) =>
      [
        `  ${operation}`,
        `${calls} calls`,
        `${failed} failed`,
        `${refused} refused`,
        `p50 ${p50_ms} ms`,
        `p95 ${p95_ms} ms`,
        failure ?? ""
      ].join("\t")
    )
  ]
}

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const desk = yield* ProviderDesk
    const all = yield* tellFailure(desk.list(yield* actor))
    if (all.length === 0) yield* Console.log("No provider has offers yet")
    yield* Effect.forEach(all.flatMap(lines), (line) => Console.log(line), { discard: true })
  })
).pipe(Command.withDescription("Print the health, stock and balance of each provider, with its calls of the last hour"))

const offers = Command.make(
  "offers",
  { name: Argument.String("provider").pipe(Argument.withDescription("The name that `providers list` prints")) },
  Effect.fn(function* ({ name }) {
    const desk = yield* ProviderDesk
    const by = yield* actor
    let after: number | undefined
    do {
      const { items, next } = yield* tellFailure(desk.offers(by, name, { limit: perPage, after }))
      for (const { external_id, id, is_available, left, listed, name, paused } of items) {
        const state = paused ? "paused" : !listed ? "only extensions" : is_available ? "in stock" : "sold out"
        yield* Console.log([id, external_id, name, state, left === null ? "" : `${left} left`].join("\t"))
      }
      after = next ?? undefined
    } while (after !== undefined)
  })
).pipe(Command.withDescription("Print the offers of a provider with their stock: id, own id, name, state, number left"))

const pauses = Command.make(
  "pauses",
  {},
  Effect.fn(function* () {
    const desk = yield* PauseDesk
    const open = yield* tellFailure(desk.open(yield* actor))
    if (open.length === 0) yield* Console.log("Nothing is paused")
    for (const { placed_by, reason, scope, scope_id, until_at } of open)
      yield* Console.log([scope, scope_id ?? "", `until ${DateTime.formatIso(until_at)}`, placed_by, reason].join("\t"))
  })
).pipe(Command.withDescription("Print what is paused, the newest first"))

export const providers = <E, R>(services: Layer.Layer<PauseDesk | ProviderDesk, E, R>) =>
  Command.make("providers").pipe(
    Command.withDescription("Show how the providers do, and what is paused"),
    Command.withSubcommands([
      Command.provide(list, services),
      Command.provide(offers, services),
      Command.provide(pauses, services)
    ])
  )

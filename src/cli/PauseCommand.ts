import { Console, DateTime, Effect, type Layer, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import { userInfo } from "node:os"
import * as Actor from "../staff/Actor.ts"
import { NewSalesPause } from "../staff/providers/NewSalesPause.ts"
import { PauseDesk } from "../staff/providers/PauseDesk.ts"
import type { SalesPauseView } from "../staff/providers/SalesPauseView.ts"
import { tellFailure } from "./TellFailure.ts"

type Services<E, R> = Layer.Layer<PauseDesk, E, R>

const actor = Effect.sync(() => Actor.cli(userInfo().username))

class NotPaused extends Schema.TaggedError<NotPaused>()("NotPaused", { message: Schema.String }) {}

const what = {
  scope: Argument.Literals("scope", NewSalesPause.fields.scope.literals).pipe(
    Argument.withDescription("What it is about; `method` is a payment method")
  ),
  id: Argument.String("id").pipe(
    Argument.optional,
    Argument.withDescription("The provider, kind, article, offer id or payment method; none for `all`")
  )
}

const reason = Flag.String("reason").pipe(
  Flag.withSchema(NewSalesPause.fields.reason),
  Flag.withDescription("Why, in 3 to 500 characters; the audit log keeps it")
)

const hours = Flag.Int("hours").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8_760 }))),
  Flag.withDefault(24)
)

const nameOf = ({ scope, scope_id }: Pick<typeof SalesPauseView.Type, "scope" | "scope_id">) =>
  scope_id === null ? scope : `${scope} ${scope_id}`

const line = (pause: typeof SalesPauseView.Type) =>
  [
    pause.id,
    nameOf(pause),
    `until ${DateTime.formatIso(pause.until_at)}`,
    `by ${pause.placed_by} at ${DateTime.formatIso(pause.placed_at)}`,
    pause.reason
  ].join("\t")

export const pause = <E, R>(services: Services<E, R>) =>
  Command.make(
    "pause",
    {
      ...what,
      reason,
      hours: hours.pipe(Flag.withDescription("Hours until it ends by itself, 1 to 8760; default: 24"))
    },
    Effect.fn(function* ({ hours, id, reason, scope }) {
      const desk = yield* PauseDesk
      const wanted = { scope, scope_id: Option.getOrNull(id), reason, hours }
      const { answer } = yield* tellFailure(desk.place(yield* actor, randomUUID(), wanted))
      yield* Console.log(`paused\t${line(answer)}`)
    })
  ).pipe(
    Command.withDescription("Stop a sale at once, in every process; running proxies, extensions and renewals go on"),
    (command) => Command.provide(command, services)
  )

/** The pause that stands for this. */
const findOpen = Effect.fnUntraced(function* (scope: typeof NewSalesPause.Type.scope, id: Option.Option<string>) {
  const desk = yield* PauseDesk
  const wanted = nameOf({ scope, scope_id: Option.getOrNull(id) })
  const found = (yield* tellFailure(desk.open(yield* actor))).find((pause) => nameOf(pause) === wanted)
  if (found !== undefined) return found
  return yield* new NotPaused({ message: `There is no pause of ${wanted}; \`providers pauses\` lists them` })
})

export const extend = <E, R>(services: Services<E, R>) =>
  Command.make(
    "extend",
    { ...what, reason, hours: hours.pipe(Flag.withDescription("Hours to add to its end, 1 to 8760; default: 24")) },
    Effect.fn(function* ({ hours, id, reason, scope }) {
      const desk = yield* PauseDesk
      const found = yield* findOpen(scope, id)
      const { answer } = yield* tellFailure(desk.extend(yield* actor, randomUUID(), found.id, { hours, reason }))
      yield* Console.log(`extended\t${line(answer)}`)
    })
  ).pipe(Command.withDescription("Move the end of a pause"), (command) => Command.provide(command, services))

export const resume = <E, R>(services: Services<E, R>) =>
  Command.make(
    "resume",
    { ...what, reason },
    Effect.fn(function* ({ id, reason, scope }) {
      const desk = yield* PauseDesk
      const found = yield* findOpen(scope, id)
      const { answer } = yield* tellFailure(desk.lift(yield* actor, randomUUID(), found.id, reason))
      yield* Console.log(`resumed\t${line(answer)}`)
    })
  ).pipe(Command.withDescription("End a pause before its time"), (command) => Command.provide(command, services))

import { Console, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { LimitDesk } from "../staff/money/LimitDesk.ts"
import type { LimitView } from "../staff/money/LimitView.ts"
import * as MoneyText from "../staff/money/MoneyText.ts"
import { LimitName } from "../wallet/adjustments/StaffLimit.ts"
import * as MoneyFlags from "./MoneyFlags.ts"

const most = (size: string | null) => size ?? "no limit"

const line = ({ action, currency, is_alone, per_action, per_customer_30d, per_staff_day, role }: LimitView) =>
  [
    role,
    action,
    currency,
    ...(is_alone
      ? [
          `each ${most(per_action)}`,
          `a customer in 30 days ${most(per_customer_30d)}`,
          `a person a day ${most(per_staff_day)}`
        ]
      : ["never alone"])
  ].join("\t")

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const limits = yield* LimitDesk.use((desk) => Effect.flatMap(MoneyFlags.actor, desk.list)).pipe(
      MoneyFlags.explained
    )
    yield* Effect.forEach(limits, (limit) => Console.log(line(limit)), { discard: true })
  })
).pipe(Command.withDescription("List the amounts that each role of staff moves alone"))

const { action, currency, role } = LimitName.fields

const name = {
  role: Argument.Literals("role", role.literals).pipe(Argument.withDescription(`One of ${role.literals.join(", ")}`)),
  action: Argument.Literals("action", action.literals).pipe(
    Argument.withDescription(`One of ${action.literals.join(", ")}`)
  ),
  currency: Flag.Literals("currency", currency.literals).pipe(
    Flag.withDefault("USD" as const),
    Flag.withDescription("USD or STAR; default: USD")
  ),
  reason: MoneyFlags.flags.reason
}

const amount = (flag: string, description: string) =>
  Flag.String(flag).pipe(
    Flag.withSchema(MoneyText.Amount),
    Flag.optional,
    Flag.withMetavar("amount"),
    Flag.withDescription(`${description}; default: no limit`)
  )

const change = (name: LimitName, amounts: Parameters<LimitDesk["Service"]["set"]>[2], reason: string) =>
  Effect.gen(function* () {
    const desk = yield* LimitDesk
    const changed = yield* MoneyFlags.explained(desk.set(yield* MoneyFlags.actor, name, amounts, reason))
    yield* Console.log(line(changed))
  })

const set = Command.make(
  "set",
  {
    ...name,
    each: amount("each", "The most of one action; all refunds of an order are one"),
    customer: amount("customer", "The most for one customer in 30 days"),
    day: amount("day", "The most of one person since midnight UTC")
  },
  ({ action, currency, customer, day, each, reason, role }) =>
    change(
      { role, action, currency },
      {
        per_action: Option.getOrNull(each),
        per_customer_30d: Option.getOrNull(customer),
        per_staff_day: Option.getOrNull(day)
      },
      reason
    )
).pipe(Command.withDescription("Set the amounts that a role moves alone"))

const remove = Command.make("remove", name, ({ action, currency, reason, role }) =>
  change({ role, action, currency }, null, reason)
).pipe(Command.withDescription("Remove a limit: a second person must always agree"))

export const limits = <E, R>(services: Layer.Layer<LimitDesk, E, R>) =>
  Command.make("limits").pipe(
    Command.withDescription("Show and change the amounts that staff moves alone"),
    Command.withSubcommands([
      Command.provide(list, services),
      Command.provide(set, services),
      Command.provide(remove, services)
    ])
  )

import { Console, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { AccountLookUp } from "../accounts/AccountLookUp.ts"
import type { Atomically } from "../platform/postgres/Atomically.ts"
import type { AdjustmentView } from "../staff/money/AdjustmentView.ts"
import { rehearse } from "../staff/audit/Rehearse.ts"
import { StaffAdjustments } from "../staff/money/StaffAdjustments.ts"
import { AdjustmentId, RequestStatus } from "../wallet/adjustments/Adjustment.ts"
import * as AccountArgument from "./AccountArgument.ts"
import * as MoneyFlags from "./MoneyFlags.ts"

type Services = AccountLookUp | Atomically | StaffAdjustments

const listed = 100

const account = Argument.String("account").pipe(
  Argument.filterMap(AccountArgument.decode, AccountArgument.expected),
  Argument.withMetavar("id|email"),
  Argument.withDescription("Id or email of the account")
)

const record = Argument.String("id").pipe(
  Argument.withSchema(AdjustmentId),
  Argument.withDescription("Id of the credit or debit")
)

const amount = Flag.String("amount").pipe(Flag.withDescription("Dollars or whole stars, such as 5 or 2.50"))

const line = (view: typeof AdjustmentView.Type) =>
  MoneyFlags.cellsOf(view, [view.cause, MoneyFlags.priceOf(view.currency, view.amount)])

const moving = (kind: "goodwill" | "credit" | "debit", name: string, description: string) =>
  Command.make(
    name,
    {
      account,
      amount,
      currency: Flag.Literals("currency", ["USD", "STAR"]).pipe(
        Flag.withDefault("USD" as const),
        Flag.withDescription("USD (default) or STAR")
      ),
      ...MoneyFlags.flags
    },
    Effect.fn(function* ({ account, amount, currency, dryRun, id, ...reasons }) {
      const by = yield* MoneyFlags.actor
      const user_id = yield* AccountLookUp.use((accounts) => accounts.find(account))
      const key = yield* MoneyFlags.keyOf(id)
      const given = { kind, user_id, currency, amount, ...MoneyFlags.reasonsOf(reasons) }
      const act = StaffAdjustments.use((adjustments) => adjustments.create(by, key, given))
      const { answer } = yield* MoneyFlags.explained(dryRun ? rehearse(act) : act)
      yield* Console.log(`${dryRun ? "would be: " : ""}${line(answer)}`)
    })
  ).pipe(Command.withDescription(description))

const revoke = Command.make(
  "revoke",
  { record, amount: Flag.optional(amount), ...MoneyFlags.flags },
  Effect.fn(function* ({ amount, dryRun, id, record, ...reasons }) {
    const by = yield* MoneyFlags.actor
    const key = yield* MoneyFlags.keyOf(id)
    const given = { amount: Option.getOrNull(amount), ...MoneyFlags.reasonsOf(reasons) }
    const act = StaffAdjustments.use((adjustments) => adjustments.revoke(by, key, record, given))
    const { answer } = yield* MoneyFlags.explained(dryRun ? rehearse(act) : act)
    yield* Console.log(`${dryRun ? "would be: " : ""}${line(answer)}`)
  })
).pipe(Command.withDescription("Take a goodwill credit back, or a part of it"))

const decide = (decision: "approve" | "decline", description: string) =>
  Command.make(
    decision,
    { record, id: MoneyFlags.flags.id },
    Effect.fn(function* ({ id, record }) {
      const by = yield* MoneyFlags.actor
      const key = yield* MoneyFlags.keyOf(id)
      const act = StaffAdjustments.use((adjustments) => adjustments.decide(by, key, record, decision))
      const { answer } = yield* MoneyFlags.explained(act)
      yield* Console.log(line(answer))
    })
  ).pipe(Command.withDescription(description))

const list = Command.make(
  "list",
  {
    status: Flag.Literals("status", RequestStatus.literals).pipe(
      Flag.optional,
      Flag.withDescription("Only credits and debits in this status; requested: those that wait for a second person")
    )
  },
  Effect.fn(function* ({ status }) {
    const filter = { status: Option.getOrUndefined(status) }
    const all = yield* StaffAdjustments.use((adjustments) => adjustments.list(filter, listed))
    if (all.length === 0) yield* Console.log("No credits or debits")
    yield* Effect.forEach(all, (view) => Console.log(line(view)), { discard: true })
  })
).pipe(Command.withDescription(`List the ${listed} newest credits and debits by staff`))

export const credits = <E, R>(services: Layer.Layer<Services, E, R>) =>
  Command.make("credits").pipe(
    Command.withDescription("Give money to accounts, correct balances, and decide about requests of staff"),
    Command.withSubcommands([
      Command.provide(moving("goodwill", "give", "Give an account money"), services),
      Command.provide(moving("credit", "credit", "Correct a balance upwards"), services),
      Command.provide(moving("debit", "debit", "Correct a balance downwards, at most to zero"), services),
      Command.provide(revoke, services),
      Command.provide(decide("approve", "Book a credit or debit that staff requested"), services),
      Command.provide(decide("decline", "End a request of staff"), services),
      Command.provide(list, services)
    ])
  )

import { Console, DateTime, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Atomically } from "../platform/postgres/Atomically.ts"
import type * as Actor from "../staff/Actor.ts"
import { rehearse } from "../staff/audit/Rehearse.ts"
import type { PayoutView } from "../staff/money/PayoutView.ts"
import { StaffPayouts } from "../staff/money/StaffPayouts.ts"
import { DeclineText, PayoutId, PayoutStatus, TransferReference } from "../wallet/payouts/Payout.ts"
import * as MoneyFlags from "./MoneyFlags.ts"

type View = typeof PayoutView.Type

const listed = 100

const record = Argument.String("id").pipe(
  Argument.withSchema(PayoutId),
  Argument.withDescription("Id of the withdrawal")
)

const { dryRun, id, reason } = MoneyFlags.flags

const line = ({ amount, created_at, currency, destination, id, status, user_id }: View) =>
  [
    id,
    status,
    MoneyFlags.priceOf(currency, amount),
    user_id,
    DateTime.formatIso(created_at),
    // A destination may have several lines.
    (destination ?? "").replaceAll(/\s+/g, " ")
  ].join("\t")

const whole = (view: View) =>
  Object.entries(view)
    .map(([name, value]) => `${name}\t${DateTime.isDateTime(value) ? DateTime.formatIso(value) : (value ?? "")}`)
    .join("\n")

interface Settling {
  readonly by: Actor.Actor["Service"]
  readonly key: string
  readonly record: PayoutId
}

interface Flags {
  readonly dryRun: boolean
  readonly id: Option.Option<string>
  readonly record: PayoutId
}

const settled = Effect.fnUntraced(function* <E extends { readonly detail: unknown }, R>(
  { dryRun, id, record }: Flags,
  settle: (settling: Settling) => Effect.Effect<{ readonly answer: View }, E, R>
) {
  const by = yield* MoneyFlags.actor
  const key = yield* MoneyFlags.keyOf(id)
  const act = settle({ by, key, record })
  const { answer } = yield* MoneyFlags.explained(dryRun ? rehearse(act) : act)
  yield* Console.log(`${dryRun ? "would be: " : ""}${line(answer)}`)
})

const approve = Command.make("approve", { record, dryRun, id, reason }, ({ reason, ...flags }) =>
  settled(flags, ({ by, key, record }) => StaffPayouts.use((payouts) => payouts.approve(by, key, record, reason)))
).pipe(Command.withDescription("Allow a withdrawal: then send its money by hand"))

const sent = Command.make(
  "sent",
  {
    record,
    dryRun,
    id,
    reason,
    reference: Flag.String("reference").pipe(
      Flag.withSchema(TransferReference),
      Flag.withDescription("The transfer, such as its number at the bank; the customer reads it")
    )
  },
  ({ reason, reference, ...flags }) =>
    settled(flags, ({ by, key, record }) =>
      StaffPayouts.use((payouts) => payouts.send(by, key, record, { reference, reason }))
    )
).pipe(Command.withDescription("Say by which transfer you sent the money of an approved withdrawal"))

const decline = Command.make(
  "decline",
  {
    record,
    dryRun,
    id,
    reason,
    text: Flag.String("text").pipe(
      Flag.withSchema(DeclineText),
      Flag.withDescription("The reason that the customer reads")
    )
  },
  ({ reason, text: customer_text, ...flags }) =>
    settled(flags, ({ by, key, record }) =>
      StaffPayouts.use((payouts) => payouts.decline(by, key, record, { customer_text, reason }))
    )
).pipe(Command.withDescription("Return the money of a withdrawal to the wallet"))

const list = Command.make(
  "list",
  {
    status: Flag.Literals("status", PayoutStatus.literals).pipe(
      Flag.optional,
      Flag.withDescription("Only withdrawals in this status; requested: those that wait for you")
    )
  },
  Effect.fn(function* ({ status }) {
    const actor = yield* MoneyFlags.actor
    const filter = { status: Option.getOrUndefined(status) }
    const all = yield* StaffPayouts.use((payouts) => payouts.list(actor, filter, listed))
    if (all.length === 0) yield* Console.log("No withdrawals")
    yield* Effect.forEach(all, (view) => Console.log(line(view)), { discard: true })
  })
).pipe(Command.withDescription(`List the ${listed} newest withdrawals of customers`))

const show = Command.make(
  "show",
  { record },
  Effect.fn(function* ({ record }) {
    const actor = yield* MoneyFlags.actor
    const found = StaffPayouts.use((payouts) => payouts.get(actor, record))
    yield* Console.log(whole(yield* MoneyFlags.explained(found)))
  })
).pipe(Command.withDescription("Show a withdrawal"))

export const payouts = <E, R>(services: Layer.Layer<Atomically | StaffPayouts, E, R>) =>
  Command.make("payouts").pipe(
    Command.withDescription("Settle the withdrawals that customers ask for"),
    Command.withSubcommands([
      Command.provide(list, services),
      Command.provide(show, services),
      Command.provide(approve, services),
      Command.provide(sent, services),
      Command.provide(decline, services)
    ])
  )

import { Console, DateTime, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { PaymentWithRecords, StaffPayment } from "../staff/payments/StaffPayment.ts"
import { foundPaymentView, staffPaymentView } from "../staff/payments/StaffPaymentView.ts"
import { StaffPayments } from "../staff/payments/StaffPayments.ts"
import { LookUpReason, PaymentWords } from "../staff/payments/StaffPaymentsApi.ts"
import { PaymentIntent, PaymentIntentId } from "../wallet/PaymentIntent.ts"
import { PaymentMethod } from "../wallet/PaymentMethod.ts"
import * as MoneyFlags from "./MoneyFlags.ts"

const listed = 50

const payment = Argument.String("payment").pipe(
  Argument.withSchema(PaymentIntentId),
  Argument.withDescription("Id of the payment")
)

const textOf = (value: unknown) => (DateTime.isDateTime(value) ? DateTime.formatIso(value) : String(value ?? ""))

const line = (found: StaffPayment) => {
  const { amount, created_at, currency, email, external_reference, id, payment_method, status, user_id } =
    foundPaymentView(found)
  return [
    id,
    status,
    payment_method,
    MoneyFlags.priceOf(currency, amount),
    external_reference ?? "",
    email ?? user_id,
    DateTime.formatIso(created_at)
  ].join("\t")
}

/** The payment, and each of its records on a line that begins with the kind of the record. */
const print = Effect.fnUntraced(function* (found: PaymentWithRecords) {
  const { callbacks, charges, orders, refunds, reversals, ...fields } = staffPaymentView(found)
  for (const [name, value] of Object.entries(fields)) yield* Console.log(`${name}\t${textOf(value)}`)
  const lists = { order: orders, charge: charges, callback: callbacks, refund: refunds, reversal: reversals }
  for (const [kind, records] of Object.entries(lists))
    for (const record of records) yield* Console.log([kind, ...Object.values(record).map(textOf)].join("\t"))
})

const find = Command.make(
  "find",
  {
    words: Argument.String("words").pipe(
      Argument.withSchema(PaymentWords),
      Argument.optional,
      Argument.withDescription("An id, an email, or the id of a charge or a payment at its gateway; none: the newest")
    ),
    status: Flag.Literals("status", PaymentIntent.fields.status.literals).pipe(
      Flag.optional,
      Flag.withDescription("Only payments in this state")
    ),
    method: Flag.Literals("method", PaymentMethod.literals).pipe(
      Flag.optional,
      Flag.withDescription("Only payments by this method")
    )
  },
  Effect.fn(function* ({ method, status, words }) {
    const actor = yield* MoneyFlags.actor
    const search = {
      words: Option.getOrUndefined(words),
      status: Option.getOrUndefined(status),
      payment_method: Option.getOrUndefined(method)
    }
    const found = StaffPayments.use((payments) => payments.list(actor, search, { limit: listed }))
    const { items } = yield* MoneyFlags.explained(found)
    if (items.length === 0) yield* Console.log("No payments")
    yield* Effect.forEach(items, (item) => Console.log(line(item)), { discard: true })
  })
).pipe(Command.withDescription(`Find payments from outside; prints the ${listed} newest ones`))

const show = Command.make(
  "show",
  { payment },
  Effect.fn(function* ({ payment }) {
    const actor = yield* MoneyFlags.actor
    yield* print(yield* MoneyFlags.explained(StaffPayments.use((payments) => payments.get(actor, payment))))
  })
).pipe(Command.withDescription("Show a payment: its charges, calls of its gateway, refunds, disputes and orders"))

const lookUp = Command.make(
  "look-up",
  {
    payment,
    id: MoneyFlags.flags.id,
    reason: Flag.String("reason").pipe(
      Flag.withSchema(LookUpReason),
      Flag.withDescription("The reason for colleagues and for the audit log")
    )
  },
  Effect.fn(function* ({ id, payment, reason }) {
    const by = yield* MoneyFlags.actor
    const key = yield* MoneyFlags.keyOf(id)
    const looked = StaffPayments.use((payments) => payments.lookUp(by, key, payment, reason))
    yield* print((yield* MoneyFlags.explained(looked)).answer)
  })
).pipe(Command.withDescription("Ask the gateway about a payment now, and book what is not on record yet"))

export const payments = <E, R>(services: Layer.Layer<StaffPayments, E, R>) =>
  Command.make("payments").pipe(
    Command.withDescription("Find payments from outside, and look them up at their gateways"),
    Command.withSubcommands([
      Command.provide(find, services),
      Command.provide(show, services),
      Command.provide(lookUp, services)
    ])
  )

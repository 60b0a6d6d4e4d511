import { Console, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { OrderId } from "../orders/Order.ts"
import { OrderRefundId, RefundKind } from "../orders/refunds/OrderRefund.ts"
import type { RefundView } from "../staff/money/RefundView.ts"
import { StaffRefunds } from "../staff/money/StaffRefunds.ts"
import { RequestStatus } from "../wallet/adjustments/Adjustment.ts"
import * as MoneyFlags from "./MoneyFlags.ts"

const listed = 100

const order = Argument.String("order").pipe(Argument.withSchema(OrderId), Argument.withDescription("Id of the order"))
const refund = Argument.String("refund").pipe(
  Argument.withSchema(OrderRefundId),
  Argument.withDescription("Id of the refund")
)

const line = (view: typeof RefundView.Type) =>
  MoneyFlags.cellsOf(view, [
    view.kind,
    `to ${view.destination}`,
    MoneyFlags.priceOf(view.currency, view.amount),
    `order ${view.order_id}`
  ])

const previewOf = (order: OrderId) => MoneyFlags.explained(StaffRefunds.use((refunds) => refunds.preview(order)))

const preview = Command.make(
  "preview",
  { order },
  Effect.fn(function* ({ order }) {
    const { currency, left, paid, prorata, returned, terms } = yield* previewOf(order)
    for (const term of terms)
      yield* Console.log(
        [term.reference, `paid ${term.paid}`, `returned ${term.returned}`, `left ${term.share}`].join("\t")
      )
    const sums = [`paid ${paid}`, `returned ${returned}`, `at most ${left}`, `for what is left ${prorata} ${currency}`]
    yield* Console.log(["all", ...sums].join("\t"))
  })
).pipe(Command.withDescription("Show what can be returned of an order"))

const create = Command.make(
  "create",
  {
    order,
    kind: Flag.Literals("kind", RefundKind.literals).pipe(
      Flag.withDescription(
        "whole undoes the order and ends it; amount returns --amount; prorata the part for what is left"
      )
    ),
    amount: Flag.String("amount").pipe(
      Flag.optional,
      Flag.withDescription("For amount: dollars or whole stars; for prorata: the amount that the preview showed")
    ),
    to: Flag.Literals("to", ["wallet", "gateway"]).pipe(
      Flag.withDefault("wallet" as const),
      Flag.withDescription("wallet (default), or gateway: the card that the money came from")
    ),
    end: Flag.Boolean("end").pipe(Flag.withDefault(false), Flag.withDescription("End the proxy too")),
    ...MoneyFlags.flags
  },
  Effect.fn(function* ({ amount, dryRun, end, id, kind, order, to, ...given }) {
    const by = yield* MoneyFlags.actor
    const key = yield* MoneyFlags.keyOf(id)
    const reasons = MoneyFlags.reasonsOf(given)
    const asked = { kind, destination: to, ends_service: end, amount: Option.getOrNull(amount), ...reasons }
    if (!dryRun) {
      const act = StaffRefunds.use((refunds) => refunds.create(by, key, order, asked))
      const { answer } = yield* MoneyFlags.explained(act)
      return yield* Console.log(line(answer))
    }
    const rehearsed = StaffRefunds.use((refunds) => refunds.rehearse(by, key, order, asked))
    yield* Console.log(`would be: ${line(yield* MoneyFlags.explained(rehearsed))}`)
  })
).pipe(Command.withDescription("Return money of a delivered order"))

const acting = (name: "approve" | "decline" | "retry", description: string) =>
  Command.make(
    name,
    { refund, id: MoneyFlags.flags.id },
    Effect.fn(function* ({ id, refund }) {
      const by = yield* MoneyFlags.actor
      const key = yield* MoneyFlags.keyOf(id)
      const refunds = yield* StaffRefunds
      const act = name === "retry" ? refunds.retry(by, key, refund) : refunds.decide(by, key, refund, name)
      yield* Console.log(
        line(
          (yield* MoneyFlags.explained<
            { readonly answer: typeof RefundView.Type },
            { readonly detail: unknown },
            never
          >(act)).answer
        )
      )
    })
  ).pipe(Command.withDescription(description))

const list = Command.make(
  "list",
  {
    status: Flag.Literals("status", RequestStatus.literals).pipe(
      Flag.optional,
      Flag.withDescription("Only refunds in this status; requested: those that wait for a second person")
    )
  },
  Effect.fn(function* ({ status }) {
    const all = yield* StaffRefunds.use((refunds) => refunds.list({ status: Option.getOrUndefined(status) }, listed))
    if (all.length === 0) yield* Console.log("No refunds")
    yield* Effect.forEach(all, (view) => Console.log(line(view)), { discard: true })
  })
).pipe(Command.withDescription(`List the ${listed} newest refunds of orders`))

export const refunds = <E, R>(services: Layer.Layer<StaffRefunds, E, R>) =>
  Command.make("refunds").pipe(
    Command.withDescription("Refund delivered orders: whole, in part, or for what is left of them"),
    Command.withSubcommands([
      Command.provide(preview, services),
      Command.provide(create, services),
      Command.provide(acting("approve", "Book a refund that staff requested"), services),
      Command.provide(acting("decline", "End a request for a refund"), services),
      Command.provide(acting("retry", "Look up a refund, and send money that a card did not take once more"), services),
      Command.provide(list, services)
    ])
  )

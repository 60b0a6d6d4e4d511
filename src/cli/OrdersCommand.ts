import { Console, DateTime, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { OrderId } from "../orders/Order.ts"
import * as Money from "../platform/Money.ts"
import type { FoundOrder } from "../staff/orders/FoundOrder.ts"
import { GivenDays, WorkReason } from "../staff/orders/OrderWorkApi.ts"
import type { OrderWithSteps } from "../staff/orders/StaffOrder.ts"
import { StaffOrders } from "../staff/orders/StaffOrders.ts"
import { OrderWords } from "../staff/orders/StaffOrdersApi.ts"
import { StaffOrderWork, type Work } from "../staff/orders/StaffOrderWork.ts"
import type { OrderWorkView } from "../staff/orders/OrderWork.ts"
import * as MoneyFlags from "./MoneyFlags.ts"

const listed = 50

const order = Argument.String("order").pipe(Argument.withSchema(OrderId), Argument.withDescription("Id of the order"))

const price = (currency: Money.Currency, amount: bigint) =>
  MoneyFlags.priceOf(currency, Money.toDecimal(currency, amount))

const textOf = (value: unknown) => (DateTime.isDateTime(value) ? DateTime.formatIso(value) : String(value ?? ""))

const line = ({
  created_at,
  currency,
  email,
  id,
  provider,
  proxy_status,
  proxy_type,
  status,
  total,
  user_id
}: FoundOrder) =>
  [
    id,
    status,
    `proxy ${proxy_status}`,
    `${provider} ${proxy_type}`,
    price(currency, total),
    email ?? user_id,
    DateTime.formatIso(created_at)
  ].join("\t")

const stepOf = ({ amount, at, by, currency, detail, kind, state }: OrderWithSteps["timeline"][number]) =>
  [
    DateTime.formatIso(at),
    kind,
    state ?? "",
    currency === null || amount === null ? "" : price(currency, amount),
    by ?? "service",
    (detail ?? "").replaceAll(/\s+/g, " ")
  ].join("\t")

const find = Command.make(
  "find",
  {
    words: Argument.String("words").pipe(
      Argument.withSchema(OrderWords),
      Argument.optional,
      Argument.withDescription(
        "An id, an email, ip:port, the id of a proxy at its provider or of a payment at its gateway; none: the newest"
      )
    )
  },
  Effect.fn(function* ({ words }) {
    const actor = yield* MoneyFlags.actor
    const found = StaffOrders.use((orders) => orders.list(actor, Option.getOrUndefined(words), { limit: listed }))
    const { items } = yield* MoneyFlags.explained(found)
    if (items.length === 0) yield* Console.log("No orders")
    yield* Effect.forEach(items, (item) => Console.log(line(item)), { discard: true })
  })
).pipe(Command.withDescription(`Find orders; prints the ${listed} newest ones`))

const show = Command.make(
  "show",
  { order },
  Effect.fn(function* ({ order }) {
    const actor = yield* MoneyFlags.actor
    const found = yield* MoneyFlags.explained(StaffOrders.use((orders) => orders.get(actor, order)))
    const { cost_usd, currency, discount, total, ...rest } = found.order
    const prices = {
      total: price(currency, total),
      discount: price(currency, discount),
      cost: cost_usd === null ? null : price("USD", cost_usd)
    }
    for (const [name, value] of Object.entries({ ...rest, ...prices })) yield* Console.log(`${name}\t${textOf(value)}`)
    const { refusals } = yield* MoneyFlags.explained(StaffOrderWork.use((work) => work.actions(actor, order)))
    for (const [action, refusal] of Object.entries(refusals))
      yield* Console.log(`${action.replace("_", "-")}\t${refusal === undefined ? "possible" : refusal.detail}`)
    for (const step of found.timeline) yield* Console.log(stepOf(step))
  })
).pipe(Command.withDescription("Show an order, what can be done for it, and what happened, the newest first"))

const flags = {
  order,
  id: MoneyFlags.flags.id,
  dryRun: MoneyFlags.flags.dryRun,
  reason: Flag.String("reason").pipe(
    Flag.withSchema(WorkReason),
    Flag.withDescription("The reason for colleagues and for the audit log")
  )
}

interface Given {
  readonly order: OrderId
  readonly id: Option.Option<string>
  readonly dryRun: boolean
}

const outcomeLine = ({ action, detail, expires_at, order_id, outcome, proxy_status, status }: OrderWorkView) =>
  [
    order_id,
    action.replace("_", "-"),
    outcome,
    `order ${status}`,
    `proxy ${proxy_status}`,
    expires_at === null ? "" : `until ${DateTime.formatIso(expires_at)}`,
    detail ?? ""
  ].join("\t")

const worked = Effect.fnUntraced(function* ({ dryRun, id, order }: Given, work: Work) {
  const by = yield* MoneyFlags.actor
  const key = yield* MoneyFlags.keyOf(id)
  const desk = yield* StaffOrderWork
  if (dryRun) {
    yield* MoneyFlags.explained(desk.rehearse(by, key, order, work))
    return yield* Console.log(`would be begun\t${order}\t${work.action.replace("_", "-")}`)
  }
  const { answer } = yield* MoneyFlags.explained(desk.work(by, key, order, work))
  yield* Console.log(outcomeLine(answer))
})

const acting = (name: "retry" | "look-up" | "release" | "replace", description: string) =>
  Command.make(name, flags, ({ reason, ...given }) =>
    worked(given, { action: name === "look-up" ? "look_up" : name, reason })
  ).pipe(Command.withDescription(description))

const extend = Command.make(
  "extend",
  {
    ...flags,
    days: Flag.Int("days").pipe(
      Flag.withSchema(GivenDays),
      Flag.optional,
      Flag.withDescription(
        "Days, for proxies of your own gateway; without it one month, for providers that sell months"
      )
    )
  },
  ({ days, reason, ...given }) =>
    worked(given, {
      action: "extend",
      time: Option.match(days, { onNone: () => ({ months: 1 as const }), onSome: (days) => ({ days }) }),
      reason
    })
).pipe(Command.withDescription("Give time at no charge: at most 31 days within 30 days for one order"))

export const orders = <E, R>(services: Layer.Layer<StaffOrders | StaffOrderWork, E, R>) =>
  Command.make("orders").pipe(
    Command.withDescription("Find orders, and do what is safe for them"),
    Command.withSubcommands([
      Command.provide(find, services),
      Command.provide(show, services),
      Command.provide(acting("retry", "Ask the provider of a paid order at once"), services),
      Command.provide(acting("look-up", "Ask the provider what became of a call without an answer"), services),
      Command.provide(
        acting("release", "End a proxy at its provider, and cancel its order without a refund"),
        services
      ),
      Command.provide(acting("replace", "Give an order another exit address and another login at no charge"), services),
      Command.provide(extend, services)
    ])
  )

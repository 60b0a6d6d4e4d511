import { Console, DateTime, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Money from "../platform/Money.ts"
import { DisputeState } from "../wallet/gateways/PaymentGateway.ts"
import { type Dispute, DisputeId } from "../wallet/payments/Dispute.ts"
import { Disputes } from "../wallet/payments/Disputes.ts"
import * as MoneyFlags from "./MoneyFlags.ts"

const listed = 100

const textOf = (value: unknown) => (DateTime.isDateTime(value) ? DateTime.formatIso(value) : String(value ?? ""))

const line = ({ amount, answer_by, created_at, currency, dispute_state, reason, ...dispute }: Dispute) =>
  [
    dispute.reversal_id,
    dispute_state ?? dispute.status,
    MoneyFlags.priceOf(currency, Money.toDecimal(currency, amount)),
    dispute.user_id,
    reason ?? "",
    answer_by === null ? "" : `answer by ${DateTime.formatIso(answer_by)}`,
    DateTime.formatIso(created_at)
  ].join("\t")

const amounts = ["amount", "debited", "given_back", "short"] as const

const whole = (dispute: Dispute) =>
  Object.entries({
    ...dispute,
    ...Object.fromEntries(amounts.map((name) => [name, Money.toDecimal(dispute.currency, dispute[name])]))
  })
    .map(([name, value]) => `${name}\t${textOf(value)}`)
    .join("\n")

const list = Command.make(
  "list",
  {
    state: Flag.Literals("state", DisputeState.literals).pipe(
      Flag.optional,
      Flag.withDescription("Only disputes in this state; needs_answer: those that wait for you")
    )
  },
  Effect.fn(function* ({ state }) {
    const all = yield* Disputes.use((disputes) => disputes.list({ state: Option.getOrUndefined(state) }, listed))
    if (all.length === 0) yield* Console.log("No disputes")
    yield* Effect.forEach(all, (dispute) => Console.log(line(dispute)), { discard: true })
  })
).pipe(Command.withDescription(`List the ${listed} newest disputes`))

const show = Command.make(
  "show",
  {
    dispute: Argument.String("id").pipe(
      Argument.withSchema(DisputeId),
      Argument.withDescription("Id of the dispute at its gateway")
    )
  },
  Effect.fn(function* ({ dispute }) {
    yield* Console.log(whole(yield* MoneyFlags.explained(Disputes.use((disputes) => disputes.find(dispute)))))
  })
).pipe(Command.withDescription("Show a dispute"))

export const disputes = <E, R>(services: Layer.Layer<Disputes, E, R>) =>
  Command.make("disputes").pipe(
    Command.withDescription("Show the disputes of payments, and when to answer them"),
    Command.withSubcommands([Command.provide(list, services), Command.provide(show, services)])
  )

import { Console, DateTime, Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import { userInfo } from "node:os"
import type * as Money from "../platform/Money.ts"
import * as Actor from "../staff/Actor.ts"
import { CustomerText, Reason, ReasonCode } from "../wallet/adjustments/Adjustment.ts"

/** The user of the machine who runs the command. */
export const actor = Effect.sync(() => Actor.cli(userInfo().username))

const Id = Schema.String.check(Schema.isUUID())

/** Flags of every command that moves money. */
export const flags = {
  reason: Flag.String("reason").pipe(
    Flag.withSchema(Reason),
    Flag.withDescription("The reason for colleagues and for the audit log")
  ),
  code: Flag.String("reason-code").pipe(
    Flag.withSchema(ReasonCode),
    Flag.withDefault("other"),
    Flag.withDescription("A short name of the reason, for reports; default: other")
  ),
  text: Flag.String("text").pipe(
    Flag.withSchema(CustomerText),
    Flag.optional,
    Flag.withDescription("The description that the customer reads; a default when absent")
  ),
  id: Flag.String("id").pipe(
    Flag.withSchema(Id),
    Flag.optional,
    Flag.withMetavar("UUID"),
    Flag.withDescription(
      "Id of the record: a command that is repeated with it moves the money once; made up when absent"
    )
  ),
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Say what would happen, and change nothing")
  )
}

interface Reasons {
  readonly reason: string
  readonly code: string
  readonly text: Option.Option<string>
}

export const reasonsOf = ({ code, reason, text }: Reasons) => ({
  reason_code: code,
  reason,
  customer_text: Option.getOrNull(text)
})

/** Prints the id under which the command can be repeated. */
export const keyOf = Effect.fnUntraced(function* (id: Option.Option<string>) {
  if (Option.isSome(id)) return id.value
  const made = randomUUID()
  yield* Console.error(`--id ${made}`)
  return made
})

/** A refusal in the words of the API, with its numbers. */
class MoneyRefused extends Schema.TaggedError<MoneyRefused>()("MoneyRefused", { message: Schema.String }) {}

interface Refusal {
  readonly detail: unknown
  readonly details?: unknown
}

const wordsOf = ({ detail, details }: Refusal) =>
  [
    typeof detail === "string" ? detail : JSON.stringify(detail),
    ...Object.entries(details ?? {}).flatMap(([name, value]) => (name === "reason" ? [] : [`${name}: ${value}`]))
  ].join("; ")

/** Explains the refusal of a service. */
export const explained = <A, E extends Refusal, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, (refusal) => new MoneyRefused({ message: wordsOf(refusal) }))

interface Decided {
  readonly id: string
  readonly user_id: string
  readonly status: string
  readonly created_by_name: string
  readonly created_at: DateTime.Utc
  readonly reason: string
}

/** The cells of a record in a list. */
export const cellsOf = (
  { created_at, created_by_name, id, reason, status, user_id }: Decided,
  what: ReadonlyArray<string>
) => [id, status, ...what, user_id, created_by_name, DateTime.formatIso(created_at), reason].join("\t")

export const priceOf = (currency: Money.Currency, amount: string) => `${amount} ${currency}`

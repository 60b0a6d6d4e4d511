import { Console, DateTime, Effect, type Layer, Option, Schema, SchemaTransformation } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import { userInfo } from "node:os"
import * as Money from "../platform/Money.ts"
import * as Actor from "../staff/Actor.ts"
import { PromoCodeDesk } from "../staff/promo-codes/PromoCodeDesk.ts"
import type { PromoCodeView } from "../staff/promo-codes/PromoCodeView.ts"
import { canBecomeValid, Code } from "../wallet/promo-codes/PromoCode.ts"
import { tellFailure } from "./TellFailure.ts"

type Services<E, R> = Layer.Layer<PromoCodeDesk, E, R>
type View = typeof PromoCodeView.Type

const listLimit = 1000
const maxInteger = 2 ** 31 - 1

class PromoCodeInvalid extends Schema.TaggedError<PromoCodeInvalid>()("PromoCodeInvalid", { message: Schema.String }) {}

const AnyCase = Schema.String.pipe(
  Schema.decodeTo(
    Code,
    SchemaTransformation.transform({ decode: (text) => text.trim().toUpperCase(), encode: (code) => code })
  )
)

const code = Argument.String("code").pipe(
  Argument.withSchema(AnyCase),
  Argument.withDescription("The promo code: 3 to 40 letters, digits and hyphens, in either case")
)

const count = (name: string, minimum: number, maximum: number) =>
  Flag.Int(name).pipe(Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum, maximum }))))

const dollars = (name: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(
      (text) => Option.filter(Option.fromUndefinedOr(Money.fromDecimal("USD", text)), (amount) => amount > 0n),
      (text) => `Expected dollars such as 5 or 2.50, got ${text}`
    )
  )

const Moment = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/, { expected: "2027-01-01 or 2027-01-01T12:00:00Z" })
).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))

const moment = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withSchema(Moment),
    Flag.withDescription(`${description}, in UTC, such as 2027-01-01 or 2027-01-01T12:00:00Z`),
    Flag.optional
  )

const actor = Effect.sync(() => Actor.cli(userInfo().username))

const valueOf = ({ kind, value }: View) => (kind === "percent" ? `${value}%` : `${value} USD`)

const terms = {
  code,
  percent: count("percent", 1, 100).pipe(
    Flag.withDescription("Discount in percent of the price, 1 to 100"),
    Flag.optional
  ),
  fixed: dollars("fixed-usd").pipe(
    Flag.withDescription("Discount in dollars, such as 5 or 2.50, on all orders of a purchase together"),
    Flag.optional
  ),
  validFrom: moment("from", "Time from which the code is valid"),
  expiresAt: moment("expires", "Time at which the code expires"),
  limit: count("limit", 1, maxInteger).pipe(
    Flag.withDescription("Maximum number of purchases that use the code; default: no limit"),
    Flag.optional
  ),
  perAccount: count("per-account", 1, maxInteger).pipe(
    Flag.withDescription("Maximum number of purchases of one account that use the code; default: 1"),
    Flag.withDefault(1)
  ),
  offers: count("offer", 0, maxInteger).pipe(
    Flag.between(0, 100),
    Flag.withDescription(
      "Id of an offer that the code is valid for; repeat the flag for more offers; default: all offers"
    )
  )
}
type Terms = Command.Command.Config.Infer<typeof terms>

/** Checks the terms before the command connects to a database. */
const check = Effect.fnUntraced(function* ({
  code,
  expiresAt,
  fixed,
  limit,
  offers,
  perAccount,
  percent,
  validFrom
}: Terms) {
  const value = Option.orElse(Option.map(percent, String), () =>
    Option.map(fixed, (amount) => Money.toDecimal("USD", amount))
  )
  if (Option.isNone(value)) return yield* new PromoCodeInvalid({ message: "Give either --percent or --fixed-usd" })
  if (Option.isSome(percent) && Option.isSome(fixed))
    return yield* new PromoCodeInvalid({ message: "Give only one of --percent and --fixed-usd" })
  const valid_from = Option.getOrUndefined(validFrom)
  const expires_at = Option.getOrUndefined(expiresAt)
  if (!canBecomeValid({ expires_at: expires_at ?? null, valid_from: valid_from ?? null }, yield* DateTime.now))
    return yield* new PromoCodeInvalid({ message: "--expires must be later than --from, and in the future" })
  return {
    code,
    kind: Option.isSome(percent) ? ("percent" as const) : ("fixed" as const),
    value: value.value,
    account_limit: perAccount,
    ...(valid_from !== undefined && { valid_from }),
    ...(expires_at !== undefined && { expires_at }),
    ...(Option.isSome(limit) && { use_limit: limit.value }),
    ...(offers.length > 0 && { offer_ids: offers })
  }
})

const add = <E, R>(services: Services<E, R>) =>
  Command.make(
    "add",
    terms,
    Effect.fn(function* (given) {
      const wanted = yield* check(given)
      const save = PromoCodeDesk.use((desk) =>
        Effect.flatMap(actor, (by) => tellFailure(desk.create(by, randomUUID(), wanted)))
      )
      const { answer } = yield* Effect.provide(save, services)
      yield* Console.log(`${answer.code} takes ${valueOf(answer)} off`)
    })
  ).pipe(Command.withDescription("Add a promo code with either --percent or --fixed-usd"))

const line = (code: View) =>
  [
    code.code,
    valueOf(code),
    `used ${code.uses}${code.use_limit === null ? "" : ` of ${code.use_limit}`}`,
    `${code.account_limit} per account`,
    ...(code.valid_from === null ? [] : [`from ${DateTime.formatIso(code.valid_from)}`]),
    ...(code.expires_at === null ? [] : [`expires ${DateTime.formatIso(code.expires_at)}`]),
    ...(code.offer_ids === null ? [] : [`offers ${code.offer_ids.join(",")}`]),
    ...(code.ended_at === null ? [] : ["disabled"])
  ].join("\t")

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const desk = yield* PromoCodeDesk
    const { items } = yield* tellFailure(desk.list(yield* actor, { limit: listLimit }))
    if (items.length === 0) yield* Console.log("No promo codes")
    yield* Effect.forEach(items, (code) => Console.log(line(code)), { discard: true })
  })
).pipe(Command.withDescription(`List the ${listLimit} newest promo codes`))

const uses = Command.make(
  "uses",
  { code },
  Effect.fn(function* ({ code }) {
    const desk = yield* PromoCodeDesk
    const by = yield* actor
    const id = yield* tellFailure(desk.named(by, code))
    const { items } = yield* tellFailure(desk.uses(by, id, { limit: listLimit }))
    if (items.length === 0) yield* Console.log("No uses")
    for (const use of items)
      yield* Console.log(
        [
          use.order_id,
          use.customer_id,
          DateTime.formatIso(use.created_at),
          `${use.discount} ${use.currency} off`,
          ...(use.released_at === null ? [] : ["released"])
        ].join("\t")
      )
  })
).pipe(Command.withDescription(`List the ${listLimit} newest orders that used a promo code`))

const reason = Flag.String("reason").pipe(
  Flag.withSchema(Schema.String.check(Schema.isMinLength(3), Schema.isMaxLength(500))),
  Flag.withDescription("Why, in 3 to 500 characters; the audit log keeps it")
)

const limit = Command.make(
  "limit",
  {
    code,
    expiresAt: terms.expiresAt,
    limit: terms.limit,
    perAccount: terms.perAccount,
    reason
  },
  Effect.fn(function* ({ code, expiresAt, limit, perAccount, reason }) {
    const desk = yield* PromoCodeDesk
    const by = yield* actor
    const id = yield* tellFailure(desk.named(by, code))
    const limits = {
      expires_at: Option.getOrNull(expiresAt),
      use_limit: Option.getOrNull(limit),
      account_limit: perAccount,
      reason
    }
    const { answer } = yield* tellFailure(desk.limit(by, randomUUID(), id, limits))
    yield* Console.log(line(answer))
  })
).pipe(Command.withDescription("Replace the limits of a promo code; a limit that is not given is removed"))

const disable = Command.make(
  "disable",
  { code },
  Effect.fn(function* ({ code }) {
    const desk = yield* PromoCodeDesk
    const by = yield* actor
    const id = yield* tellFailure(desk.named(by, code))
    yield* tellFailure(desk.end(by, randomUUID(), id, null))
    yield* Console.log(`${code} is disabled`)
  })
).pipe(Command.withDescription("Disable a promo code permanently"))

export const promoCodes = <E, R>(services: Services<E, R>) =>
  Command.make("promo-codes").pipe(
    Command.withDescription("Add, list, limit and disable promo codes"),
    Command.withSubcommands([
      add(services),
      Command.provide(list, services),
      Command.provide(uses, services),
      Command.provide(limit, services),
      Command.provide(disable, services)
    ])
  )

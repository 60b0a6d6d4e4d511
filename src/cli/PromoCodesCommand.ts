import { Console, DateTime, Effect, type Layer, Option, Result, Schema, SchemaTransformation } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Catalog } from "../catalog/Catalog.ts"
import * as Money from "../platform/Money.ts"
import type { Atomically } from "../platform/postgres/Atomically.ts"
import type { Audit } from "../staff/audit/Audit.ts"
import { canBecomeValid, Code, type PromoCode } from "../wallet/promo-codes/PromoCode.ts"
import { type NewPromoCode, PromoCodeRegistry } from "../wallet/promo-codes/PromoCodeRegistry.ts"
import { recorded } from "./Recorded.ts"

type Services<E, R> = Layer.Layer<Atomically | Audit | Catalog | PromoCodeRegistry, E, R>

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

const valueOf = ({ kind, value }: PromoCode) =>
  kind === "percent" ? `${value}%` : `${Money.toDecimal("USD", value)} USD`

/** Makes the function that describes a change of a code to the audit log. */
const changeOf = (state: "active" | "disabled") => (code: PromoCode) =>
  ({
    action: "promo_code.change",
    subject: { kind: "promo_code", id: code.code },
    after: {
      state,
      amount: valueOf(code),
      expires_at: code.expires_at === null ? null : DateTime.formatIso(code.expires_at)
    }
  }) as const

/** Refuses a code for offers that are not on sale, because no customer could use it. */
const refuseUnknown = Effect.fnUntraced(function* (offers: ReadonlyArray<number>) {
  const catalog = yield* Catalog
  const isUnknown = (id: number) => Effect.map(Effect.result(catalog.offer(id)), Result.isFailure)
  const unknown = yield* Effect.filter(offers, isUnknown)
  if (unknown.length === 0) return
  const named = `${unknown.length === 1 ? "offer" : "offers"} ${unknown.join(", ")}`
  return yield* new PromoCodeInvalid({ message: `The catalog has no ${named}; GET /v1/catalog lists its offers` })
})

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
  const value = Option.orElse(Option.map(percent, BigInt), () => fixed)
  if (Option.isNone(value)) return yield* new PromoCodeInvalid({ message: "Give either --percent or --fixed-usd" })
  if (Option.isSome(percent) && Option.isSome(fixed))
    return yield* new PromoCodeInvalid({ message: "Give only one of --percent and --fixed-usd" })
  const valid_from = Option.getOrNull(validFrom)
  const expires_at = Option.getOrNull(expiresAt)
  if (!canBecomeValid({ expires_at, valid_from }, yield* DateTime.now))
    return yield* new PromoCodeInvalid({ message: "--expires must be later than --from, and in the future" })
  return {
    code,
    kind: Option.isSome(percent) ? ("percent" as const) : ("fixed" as const),
    value: value.value,
    valid_from,
    expires_at,
    use_limit: Option.getOrNull(limit),
    account_limit: perAccount,
    offer_ids: offers.length === 0 ? null : offers
  }
})

const save = Effect.fnUntraced(function* (code: NewPromoCode) {
  yield* refuseUnknown(code.offer_ids ?? [])
  const registry = yield* PromoCodeRegistry
  const added = yield* recorded(registry.add(code), changeOf("active"))
  yield* Console.log(`${added.code} takes ${valueOf(added)} off`)
})

const add = <E, R>(services: Services<E, R>) =>
  Command.make("add", terms, (given) =>
    Effect.flatMap(check(given), (code) => Effect.provide(save(code), services))
  ).pipe(Command.withDescription("Add a promo code with either --percent or --fixed-usd"))

const line = (code: PromoCode & { readonly uses: number }) =>
  [
    code.code,
    valueOf(code),
    `used ${code.uses}${code.use_limit === null ? "" : ` of ${code.use_limit}`}`,
    `${code.account_limit} per account`,
    ...(code.valid_from === null ? [] : [`from ${DateTime.formatIso(code.valid_from)}`]),
    ...(code.expires_at === null ? [] : [`expires ${DateTime.formatIso(code.expires_at)}`]),
    ...(code.offer_ids === null ? [] : [`offers ${code.offer_ids.join(",")}`]),
    ...(code.disabled_at === null ? [] : ["disabled"])
  ].join("\t")

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const registry = yield* PromoCodeRegistry
    const codes = yield* registry.list({ limit: listLimit, offset: 0 })
    if (codes.length === 0) yield* Console.log("No promo codes")
    yield* Effect.forEach(codes, (code) => Console.log(line(code)), { discard: true })
  })
).pipe(Command.withDescription(`List the ${listLimit} newest promo codes`))

const disable = Command.make(
  "disable",
  { code },
  Effect.fn(function* ({ code }) {
    const registry = yield* PromoCodeRegistry
    yield* recorded(registry.disable(code), changeOf("disabled"))
    yield* Console.log(`${code} is disabled`)
  })
).pipe(Command.withDescription("Disable a promo code permanently"))

export const promoCodes = <E, R>(services: Services<E, R>) =>
  Command.make("promo-codes").pipe(
    Command.withDescription("Add, list and disable promo codes"),
    Command.withSubcommands([add(services), Command.provide(list, services), Command.provide(disable, services)])
  )

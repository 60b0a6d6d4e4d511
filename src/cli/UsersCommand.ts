import { Console, DateTime, Effect, type Layer, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import { userInfo } from "node:os"
import { AccountLookUp } from "../accounts/AccountLookUp.ts"
import { Preset, ReasonCode, RestrictionId } from "../accounts/restrictions/Restriction.ts"
import type { ApiFailure } from "../platform/errors/ApiError.ts"
import * as Actor from "../staff/Actor.ts"
import { CustomerRestrictions } from "../staff/customers/CustomerRestrictions.ts"
import { Customers } from "../staff/customers/Customers.ts"
import { type CustomerView, customerView, type RestrictionView } from "../staff/customers/CustomerView.ts"
import * as AccountArgument from "./AccountArgument.ts"
import { careCommands } from "./CareCommands.ts"

class NotDone extends Schema.TaggedError<NotDone>()("NotDone", { message: Schema.String }) {}

const actor = Effect.sync(() => Actor.cli(userInfo().username))

const saying = <A, E extends Pick<ApiFailure, "detail">, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(
    effect,
    ({ detail }) =>
      new NotDone({ message: typeof detail === "string" ? detail : detail.map(({ msg }) => msg).join("; ") })
  )

const account = Argument.String("account").pipe(
  Argument.filterMap(AccountArgument.decode, AccountArgument.expected),
  Argument.withMetavar("id|email"),
  Argument.withDescription("Id or email of the account")
)

const key = Flag.String("id").pipe(
  Flag.withSchema(Schema.String.check(Schema.isUUID())),
  Flag.optional,
  Flag.withMetavar("UUID"),
  Flag.withDescription(
    "Names this action: repeated with the same words it is done once; default: a random one, which is printed"
  )
)

const keyOf = Effect.fnUntraced(function* (given: Option.Option<string>) {
  if (Option.isSome(given)) return given.value
  const made = randomUUID()
  yield* Console.log(`id\t${made}`)
  return made
})

const text = (name: string, least: number, most: number, description: string) =>
  Flag.String(name).pipe(
    Flag.withSchema(Schema.String.check(Schema.isMinLength(least), Schema.isMaxLength(most))),
    Flag.withDescription(description)
  )

const Moment = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/, { expected: "2027-01-01 or 2027-01-01T12:00:00Z" })
).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))

const restrictionLine = ({
  id,
  lifted_at,
  placed_at,
  placed_by,
  preset,
  public_reason,
  until_at
}: typeof RestrictionView.Type) =>
  [
    id,
    preset,
    lifted_at === null ? "open" : `lifted ${DateTime.formatIso(lifted_at)}`,
    `placed ${DateTime.formatIso(placed_at)} by ${placed_by}`,
    until_at === null ? "no end" : `until ${DateTime.formatIso(until_at)}`,
    public_reason
  ].join("\t")

const valueOf = (value: unknown) =>
  DateTime.isDateTime(value) ? DateTime.formatIso(DateTime.toUtc(value)) : String(value)

const linesOf = ({ restrictions, wallets, ...customer }: typeof CustomerView.Type) => [
  ...Object.entries(customer).map(([name, value]) => `${name}\t${valueOf(value)}`),
  ...wallets.map(({ balance, currency }) => `wallet\t${balance} ${currency}`),
  ...restrictions.map((restriction) => `restriction\t${restrictionLine(restriction)}`)
]

const find = Command.make(
  "find",
  {
    query: Argument.String("query").pipe(
      Argument.withDescription(
        "Id of an account, an order, a ledger entry or a payment; email; ip:port of a proxy; id of a payment at its gateway"
      )
    )
  },
  Effect.fn(function* ({ query }) {
    const found = yield* saying(Customers.use((customers) => Effect.flatMap(actor, (by) => customers.find(by, query))))
    if (found.length === 0) return yield* new NotDone({ message: `Nothing names a customer as ${query}` })
    for (const { created_at, email, id, matched_by, restriction } of found)
      yield* Console.log(
        [id, email ?? "no email", DateTime.formatIso(created_at), restriction ?? "free", matched_by].join("\t")
      )
  })
).pipe(Command.withDescription("Find customers by an exact value; one line each"))

const show = Command.make(
  "show",
  { account },
  Effect.fn(function* ({ account }) {
    const id = yield* AccountLookUp.use((accounts) => accounts.find(account))
    const whole = yield* saying(Customers.use((customers) => Effect.flatMap(actor, (by) => customers.get(by, id))))
    for (const line of linesOf(customerView(whole))) yield* Console.log(line)
  })
).pipe(
  Command.withDescription("Show who a customer is, the wallets, the restrictions, and how much of everything there is")
)

const restrict = Command.make(
  "restrict",
  {
    account,
    preset: Flag.Literals("preset", Preset.literals).pipe(
      Flag.withDescription("hold: no purchases; suspend: no proxies either; ban: no sign-in either; lock: taken over")
    ),
    code: Flag.Literals("code", ReasonCode.literals).pipe(
      Flag.withDefault("other"),
      Flag.withDescription("Kind of reason")
    ),
    reason: text("reason", 3, 500, "Reason for staff and the audit log, 3 to 500 characters"),
    shown: text("public", 3, 300, "Reason that the customer reads, 3 to 300 characters"),
    until: Flag.String("until").pipe(
      Flag.withSchema(Moment),
      Flag.optional,
      Flag.withDescription("Time of its end in UTC, such as 2027-01-01; default: no end")
    ),
    id: key
  },
  Effect.fn(function* ({ account, code, id, preset, reason, shown, until }) {
    const user = yield* AccountLookUp.use((accounts) => accounts.find(account))
    const by = yield* actor
    const name = yield* keyOf(id)
    const wanted = {
      preset,
      reason_code: code,
      internal_reason: reason,
      public_reason: shown,
      until_at: Option.getOrNull(until)
    }
    const { answer } = yield* saying(CustomerRestrictions.use((_) => _.place(by, name, user, wanted)))
    yield* Console.log(restrictionLine(answer))
  })
).pipe(Command.withDescription("Restrict a customer; in force when the command ends"))

const lift = Command.make(
  "lift",
  {
    restriction: Argument.String("restriction").pipe(
      Argument.withSchema(RestrictionId),
      Argument.withDescription("Id of the restriction; users show lists them")
    ),
    reason: text("reason", 3, 500, "Reason for the audit log, 3 to 500 characters"),
    id: key
  },
  Effect.fn(function* ({ id, reason, restriction }) {
    const by = yield* actor
    const name = yield* keyOf(id)
    const { answer } = yield* saying(CustomerRestrictions.use((_) => _.lift(by, name, restriction, reason)))
    yield* Console.log(restrictionLine(answer))
  })
).pipe(Command.withDescription("Lift a restriction; returns what no other one blocks"))

/** `care` are the services of the commands that help one customer. */
export const users = <E, R, E2, R2>(
  services: Layer.Layer<AccountLookUp | CustomerRestrictions | Customers, E, R>,
  care: Parameters<typeof careCommands<E2, R2>>[0]
) =>
  Command.make("users").pipe(
    Command.withDescription("Find customers, restrict them, and help them"),
    Command.withSubcommands([
      Command.provide(find, services),
      Command.provide(show, services),
      Command.provide(restrict, services),
      Command.provide(lift, services),
      ...careCommands(care)
    ])
  )

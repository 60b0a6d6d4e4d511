import { Console, DateTime, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { AccountLookUp } from "../accounts/AccountLookUp.ts"
import { Line } from "../platform/fields/Line.ts"
import { oneLine } from "../platform/fields/OneLine.ts"
import { Text } from "../platform/fields/Text.ts"
import { BasisPoints } from "../staff/documents/BasisPoints.ts"
import { StaffTaxes } from "../staff/documents/StaffTaxes.ts"
import { type TaxNumberView, TaxRateView } from "../staff/documents/TaxView.ts"
import * as AccountArgument from "./AccountArgument.ts"
import * as MoneyFlags from "./MoneyFlags.ts"

const { country, valid_from } = TaxRateView.fields

const { id, reason } = MoneyFlags.flags

const rateLine = ({ country, note, rate_bp, recorded_at, recorded_by, valid_from }: typeof TaxRateView.Type) =>
  [country, `${rate_bp / 100} %`, valid_from, recorded_by, DateTime.formatIso(recorded_at), note ?? ""].join("\t")

const rates = Command.make(
  "rates",
  {},
  Effect.fn(function* () {
    const actor = yield* MoneyFlags.actor
    const all = yield* MoneyFlags.explained(StaffTaxes.use((taxes) => taxes.rates(actor)))
    if (all.length === 0) yield* Console.log("No rates")
    yield* Effect.forEach(all, (rate) => Console.log(rateLine(rate)), { discard: true })
  })
).pipe(Command.withDescription("List every tax rate that was recorded, by country, the newest first"))

const record = Command.make(
  "record",
  {
    country: Argument.String("country").pipe(
      Argument.withSchema(country),
      Argument.withDescription("Code of the country, such as DE")
    ),
    rate_bp: Argument.String("percent").pipe(
      Argument.withSchema(BasisPoints),
      Argument.withDescription("The rate in percent, such as 19 or 7.5")
    ),
    valid_from: Flag.String("from").pipe(
      Flag.withSchema(valid_from),
      Flag.withDescription("The first day in UTC, such as 2027-01-01")
    ),
    note: Flag.String("note").pipe(
      Flag.withSchema(Line(1, 300)),
      Flag.optional,
      Flag.withDescription("A sentence that the documents of this rate show")
    ),
    id,
    reason
  },
  Effect.fn(function* ({ id, note, reason, ...rate }) {
    const actor = yield* MoneyFlags.actor
    const key = yield* MoneyFlags.keyOf(id)
    const wanted = { ...rate, note: Option.getOrNull(note) }
    const recorded = StaffTaxes.use((taxes) => taxes.recordRate(actor, key, wanted, reason))
    yield* Console.log(rateLine((yield* MoneyFlags.explained(recorded)).answer))
  })
).pipe(Command.withDescription("Record the tax rate of a country; documents that exist do not change"))

const stateOf = ({ checked_by, refused_at }: typeof TaxNumberView.Type) =>
  refused_at === null ? (checked_by ?? "not checked") : "wrong"

const numbers = Command.make(
  "numbers",
  {},
  Effect.fn(function* () {
    const actor = yield* MoneyFlags.actor
    const all = yield* MoneyFlags.explained(StaffTaxes.use((taxes) => taxes.numbers(actor)))
    if (all.length === 0) yield* Console.log("No tax numbers")
    yield* Effect.forEach(
      all,
      (number) =>
        Console.log(
          [number.user_id, number.country, number.tax_number, number.name, stateOf(number)].map(oneLine).join("\t")
        ),
      { discard: true }
    )
  })
).pipe(Command.withDescription("List the tax numbers of businesses, first those that wait for a check"))

const check = Command.make(
  "check",
  {
    account: Argument.String("account").pipe(
      Argument.filterMap(AccountArgument.decode, AccountArgument.expected),
      Argument.withMetavar("id|email"),
      Argument.withDescription("Id or email of the account")
    ),
    tax_number: Argument.String("tax-number").pipe(
      Argument.withSchema(Line(1, 40)),
      Argument.withDescription("The number that you checked")
    ),
    name: Flag.String("name").pipe(
      Flag.withSchema(Text(1, 200)),
      Flag.withDescription("The name that you checked, as `tax numbers` shows it")
    ),
    country: Flag.String("country").pipe(
      Flag.withSchema(country),
      Flag.withDescription("The country that you checked")
    ),
    wrong: Flag.Boolean("wrong").pipe(
      Flag.withDefault(false),
      Flag.withDescription("The number is wrong: it does not count")
    ),
    id,
    reason
  },
  Effect.fn(function* ({ account, id, wrong, ...seen }) {
    const actor = yield* MoneyFlags.actor
    const key = yield* MoneyFlags.keyOf(id)
    const user_id = yield* AccountLookUp.use((accounts) => accounts.find(account))
    const checked = StaffTaxes.use((taxes) => taxes.checkNumber(actor, key, user_id, { ...seen, is_right: !wrong }))
    const { answer } = yield* MoneyFlags.explained(checked)
    yield* Console.log(`${answer.tax_number}\t${answer.checked_by === null ? "wrong" : "checked"}`)
  })
).pipe(Command.withDescription("Say whether the tax number of a business is right, so that the business owes the tax"))

export const tax = <E, R>(services: Layer.Layer<AccountLookUp | StaffTaxes, E, R>) =>
  Command.make("tax").pipe(
    Command.withDescription("Record tax rates, and check tax numbers"),
    Command.withSubcommands([
      Command.provide(rates, services),
      Command.provide(record, services),
      Command.provide(numbers, services),
      Command.provide(check, services)
    ])
  )

import { Console, DateTime, Effect, type Layer, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { AccountLookUp, type AccountName } from "../accounts/AccountLookUp.ts"
import { UserId } from "../accounts/User.ts"
import * as Money from "../platform/Money.ts"
import type { OpenReversal } from "../wallet/payments/PaymentReversal.ts"
import { PaymentReversals } from "../wallet/payments/PaymentReversals.ts"
import type { Atomically } from "../platform/postgres/Atomically.ts"
import type { Audit } from "../staff/audit/Audit.ts"
import * as AccountArgument from "./AccountArgument.ts"
import { recorded } from "./Recorded.ts"

const listed = 100
const isId = Schema.is(UserId)

class NothingToLift extends Schema.TaggedError<NothingToLift>()("NothingToLift", { message: Schema.String }) {}

const line = ({ amount, charge_id, created_at, currency, kind, short, status, ...reversal }: OpenReversal) =>
  [
    reversal.user_id,
    `${kind} ${reversal.reversal_id}`,
    status,
    `of ${reversal.payment_method} ${charge_id}`,
    `${Money.toDecimal(currency, amount)} ${currency}`,
    `short ${Money.toDecimal(currency, short)}`,
    DateTime.formatIso(created_at)
  ].join("\t")

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const reversals = yield* PaymentReversals
    const open = yield* reversals.open(listed)
    if (open.length === 0) yield* Console.log("No refund or dispute stops an account")
    yield* Effect.forEach(open, (reversal) => Console.log(line(reversal)), { discard: true })
  })
).pipe(Command.withDescription(`List the ${listed} oldest refunds and disputes that stop an account's purchases`))

/** Returns an id unchanged, so that the command also finds a deleted account. */
const idOf = (account: AccountName) =>
  isId(account) ? Effect.succeed(account) : AccountLookUp.use((accounts) => accounts.find(account))

const lift = Command.make(
  "lift",
  {
    account: Argument.String("account").pipe(
      Argument.filterMap(AccountArgument.decode, AccountArgument.expected),
      Argument.withMetavar("id|email"),
      Argument.withDescription("Id or email of the account")
    )
  },
  Effect.fn(function* ({ account }) {
    const reversals = yield* PaymentReversals
    const user_id = yield* idOf(account)
    const lifted = yield* recorded(
      Effect.filterOrFail(
        reversals.lift(user_id),
        (count) => count > 0,
        () => new NothingToLift({ message: `No refund or dispute stops the account ${account}` })
      ),
      () => ({ action: "debt.settle", subject: { kind: "customer", id: user_id }, user_id, after: { state: "lifted" } })
    )
    yield* Console.log(`${account} may buy again (lifted: ${lifted})`)
  })
).pipe(
  Command.withDescription("Allow the purchases of a stopped account again; a later refund or dispute stops them again")
)

export const reversals = <E, R>(services: Layer.Layer<AccountLookUp | Atomically | Audit | PaymentReversals, E, R>) =>
  Command.make("reversals").pipe(
    Command.withDescription("Show the refunds and disputes that stop accounts, and let accounts buy again"),
    Command.withSubcommands([Command.provide(list, services), Command.provide(lift, services)])
  )

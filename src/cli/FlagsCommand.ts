import { Console, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { AccountLookUp, type AccountName } from "../accounts/AccountLookUp.ts"
import { defaults, FlagName } from "../flags/Flag.ts"
import { Flags } from "../flags/Flags.ts"
import type { Atomically } from "../platform/postgres/Atomically.ts"
import type { Audit } from "../staff/audit/Audit.ts"
import * as AccountArgument from "./AccountArgument.ts"
import { recorded } from "./Recorded.ts"

const states = ["on", "off", "default"] as const

const word = (enabled: boolean) => (enabled ? "on" : "off")

const account = Flag.String("account").pipe(
  Flag.filterMap(AccountArgument.decode, AccountArgument.expected),
  Flag.withMetavar("id|email"),
  Flag.optional,
  Flag.withDescription("Id or email of the account that the command is for; default: the whole platform")
)

const found = (account: Option.Option<AccountName>) =>
  Option.match(account, {
    onNone: () => Effect.succeed(null),
    onSome: (name) => AccountLookUp.use((accounts) => accounts.find(name))
  })

const set = Command.make(
  "set",
  {
    name: Argument.Literals("name", FlagName.literals).pipe(
      Argument.withDescription(`One of ${FlagName.literals.join(", ")}`)
    ),
    state: Argument.Literals("state", states).pipe(Argument.withDescription(`One of ${states.join(", ")}`)),
    account
  },
  Effect.fn(function* ({ account, name, state }) {
    const flags = yield* Flags
    const owner = yield* found(account)
    yield* recorded(flags.set(name, owner, state === "default" ? null : state === "on"), () => ({
      action: "setting.change",
      subject: { kind: "flag", id: name },
      user_id: owner,
      after: { state }
    }))
    const whose = Option.isSome(account) ? ` for ${account.value}` : ""
    yield* Console.log(`${name} is ${state}${whose}; a running service applies this within 5 seconds`)
  })
).pipe(Command.withDescription("Turn a feature on or off, or back to its default"))

const list = Command.make(
  "list",
  { account },
  Effect.fn(function* ({ account }) {
    const flags = yield* Flags
    const owner = yield* found(account)
    for (const name of FlagName.literals)
      yield* Console.log(
        `${name}\t${word(yield* flags.enabled(name, owner ?? undefined))}\tdefault ${word(defaults[name])}`
      )
  })
).pipe(Command.withDescription("List the features with their state and their default"))

export const flags = <E, R>(services: Layer.Layer<AccountLookUp | Atomically | Audit | Flags, E, R>) =>
  Command.make("flags").pipe(
    Command.withDescription("Show and change the feature flags"),
    Command.withSubcommands([Command.provide(set, services), Command.provide(list, services)])
  )

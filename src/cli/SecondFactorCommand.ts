import { Console, Effect, type Layer, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { AccountLookUp } from "../accounts/AccountLookUp.ts"
import { LostPasskeys } from "../accounts/passkeys/LostPasskeys.ts"
import { SecondFactors } from "../accounts/second-factor/SecondFactors.ts"
import type { Atomically } from "../platform/postgres/Atomically.ts"
import type { Audit } from "../staff/audit/Audit.ts"
import * as AccountArgument from "./AccountArgument.ts"
import { recorded } from "./Recorded.ts"

class NothingToRemove extends Schema.TaggedError<NothingToRemove>()("NothingToRemove", { message: Schema.String }) {}

const remove = Command.make(
  "remove",
  {
    account: Argument.String("account").pipe(
      Argument.filterMap(AccountArgument.decode, AccountArgument.expected),
      Argument.withMetavar("id|email"),
      Argument.withDescription("Id or email of the account")
    )
  },
  Effect.fn(function* ({ account }) {
    const id = yield* AccountLookUp.use((accounts) => accounts.find(account))
    const factors = yield* SecondFactors
    const passkeys = yield* LostPasskeys
    const removed = Effect.gen(function* () {
      const hadFactor = yield* factors.remove(id)
      const hadPasskeys = yield* passkeys.remove(id)
      if (!hadFactor && !hadPasskeys)
        return yield* new NothingToRemove({ message: `${account} has neither a second factor nor a passkey` })
    })
    yield* recorded(removed, () => ({
      action: "customer.help",
      subject: { kind: "customer", id },
      user_id: id,
      after: { second_factor: "removed" }
    }))
    yield* Console.log(
      `${account} signs in with the password alone, and is signed out everywhere; a mail tells the owner`
    )
  })
).pipe(
  Command.withDescription(
    "Turn off the second factor of a person who has lost the authenticator app and the recovery codes, and remove the passkeys"
  )
)

export const secondFactor = <E, R>(
  services: Layer.Layer<AccountLookUp | Atomically | Audit | LostPasskeys | SecondFactors, E, R>
) =>
  Command.make("second-factor").pipe(
    Command.withDescription("Help people who have lost their second factor"),
    Command.withSubcommands([Command.provide(remove, services)])
  )

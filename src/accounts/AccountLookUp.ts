import { Context, Effect, Layer, Option, Schema } from "effect"
import { CredentialsRepo } from "./CredentialsRepo.ts"
import { Email } from "./Email.ts"
import { UserId } from "./User.ts"

export class AccountUnknown extends Schema.TaggedError<AccountUnknown>()("AccountUnknown", { account: Schema.String }) {
  override get message() {
    return `There is no account ${this.account}`
  }
}

/** The id or email by which an operator names an account. */
export const AccountName = Schema.Union([UserId, Email])
export type AccountName = typeof AccountName.Type

const isId = Schema.is(UserId)

/** Finds accounts by id or email, for the operator's commands. Does not find deleted accounts. */
export class AccountLookUp extends Context.Service<
  AccountLookUp,
  { readonly find: (account: AccountName) => Effect.Effect<UserId, AccountUnknown> }
>()("app/accounts/AccountLookUp") {
  static readonly layerNoDeps = Layer.effect(
    AccountLookUp,
    Effect.gen(function* () {
      const credentials = yield* CredentialsRepo

      const find = Effect.fn("AccountLookUp.find")(function* (account: AccountName) {
        const found = yield* isId(account) ? credentials.find(account) : credentials.findByEmail(account)
        return Option.isSome(found) ? found.value.id : yield* new AccountUnknown({ account })
      })

      return AccountLookUp.of({ find })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(CredentialsRepo.layer))
}

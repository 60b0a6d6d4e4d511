import { Effect } from "effect"
import { Brand } from "../../brand/Brand.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import type { Credentials } from "../CredentialsRepo.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import * as EmailTexts from "../mail/EmailTexts.ts"

/** Makes the function that mails the owner of an account, in the caller's transaction. */
export const make = Effect.gen(function* () {
  const addresses = yield* Addresses
  const brand = yield* Brand
  const outbox = yield* EmailOutbox

  return (
    { email, language }: Credentials,
    name: Parameters<typeof EmailTexts.passkeyMail>[3]["name"],
    passkey: string
  ): Effect.Effect<void> =>
    email === null
      ? Effect.void
      : outbox.add({
          kind: "notice",
          to_address: email,
          language,
          ...EmailTexts.passkeyMail(brand, language, addresses, { name, passkey })
        })
})

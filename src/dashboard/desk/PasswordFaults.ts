import { WrongPassword } from "../../accounts/AccountErrors.ts"
import type { Faults } from "../../pages/Field.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { tryAgainIn } from "../../pages/MessagePages.ts"
import { RateLimited } from "../../platform/requests/RateLimit.ts"
import { type Failure, faultsOf } from "../../pages/FormFaults.ts"

/** Says the failures of a form that asks for the password in the field `name`. `often` says that it was sent too often. */
export const passwordFaults =
  (name: string, often: (when: Phrase) => Phrase = (when) => text("form.too_many_attempts", { when })) =>
  (failure: Failure): Faults => {
    if (failure instanceof WrongPassword) return { [name]: text("account.password_wrong") }
    return failure instanceof RateLimited ? { "": often(tryAgainIn(failure)) } : faultsOf(failure)
  }

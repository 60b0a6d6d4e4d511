import { Effect } from "effect"
import { EmailTokensRepo } from "../../../src/accounts/EmailTokensRepo.ts"
import { KnownBrowsersRepo } from "../../../src/accounts/KnownBrowsersRepo.ts"
import { PasskeysRepo } from "../../../src/accounts/PasskeysRepo.ts"
import { PendingSignInsRepo } from "../../../src/accounts/PendingSignInsRepo.ts"
import { SecondFactorsRepo } from "../../../src/accounts/SecondFactorsRepo.ts"
import { RefreshTokensRepo } from "../../../src/accounts/sessions/RefreshTokensRepo.ts"
import * as SessionCleanup from "../../../src/accounts/sessions/SessionCleanup.ts"
import { SigningKeysRepo } from "../../../src/accounts/sessions/SigningKeysRepo.ts"
import { SessionsRepo } from "../../../src/accounts/SessionsRepo.ts"
import { UsersRepo } from "../../../src/accounts/UsersRepo.ts"

/** One round of the job. */
export const cleanup = SessionCleanup.run.pipe(
  Effect.provide([
    SessionsRepo.layer,
    RefreshTokensRepo.layer,
    EmailTokensRepo.layer,
    KnownBrowsersRepo.layer,
    PasskeysRepo.layer,
    PendingSignInsRepo.layer,
    SecondFactorsRepo.layer,
    SigningKeysRepo.layer,
    UsersRepo.layer
  ])
)

import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { EmailTokensRepo } from "../EmailTokensRepo.ts"
import { KnownBrowsersRepo } from "../KnownBrowsersRepo.ts"
import { PasskeysRepo } from "../PasskeysRepo.ts"
import { PendingSignInsRepo } from "../PendingSignInsRepo.ts"
import { RefreshTokensRepo } from "./RefreshTokensRepo.ts"
import { SecondFactorsRepo } from "../SecondFactorsRepo.ts"
import { SessionsRepo } from "../SessionsRepo.ts"
import { SigningKeysRepo } from "./SigningKeysRepo.ts"
import { UsersRepo } from "../UsersRepo.ts"

const batch = 500
const rounds = 20
/** Much longer than 15 minutes, the longest lifetime of a signed token. */
const retiredKeyHours = 24

/** Days that the service keeps the client address of a sign-up, to recognise two accounts of one household. */
const addressDays = 90

/**
 * Deletes expired sessions, refresh tokens, mail tokens, known browsers, sign-ins that wait for a code, setups of second
 * factors, answered challenges of passkeys, signing keys that no valid token needs, and old client addresses of sign-ups. A long backlog takes several runs.
 */
export const run = Effect.gen(function* () {
  const sessions = yield* SessionsRepo
  const refreshTokens = yield* RefreshTokensRepo
  const emailTokens = yield* EmailTokensRepo
  const knownBrowsers = yield* KnownBrowsersRepo
  const passkeys = yield* PasskeysRepo
  const pendingSignIns = yield* PendingSignInsRepo
  const secondFactors = yield* SecondFactorsRepo
  const signingKeys = yield* SigningKeysRepo
  const users = yield* UsersRepo
  const now = yield* DateTime.now
  yield* signingKeys.removeRetired(DateTime.subtract(now, { hours: retiredKeyHours }))
  for (let round = 0; round < rounds; round++) {
    const removed = yield* Effect.all([
      sessions.removeExpired(now, batch),
      refreshTokens.removeExpired(now, batch),
      emailTokens.removeExpired(now, batch),
      knownBrowsers.removeExpired(now, batch),
      passkeys.removeExpiredAnswers(now, batch),
      pendingSignIns.removeExpired(now, batch),
      secondFactors.removeExpiredSetups(now, batch),
      users.forgetAddresses(DateTime.subtract(now, { days: addressDays }), batch)
    ])
    if (removed.every((count) => count === 0)) return
  }
})

export const layer = Job.layer("SessionCleanup", Schedule.fixed("10 minutes"), run).pipe(
  Layer.provide([
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

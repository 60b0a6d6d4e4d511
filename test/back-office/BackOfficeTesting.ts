import { Clock, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Totp from "../../src/accounts/second-factor/Totp.ts"
import * as Actor from "../../src/staff/Actor.ts"
import { Invites } from "../../src/staff/members/Invites.ts"
import type { Role } from "../../src/staff/Role.ts"
import * as Browser from "../support/Browser.ts"
import { http } from "../dashboard/PagesTesting.ts"

export const password = "a good password"

export const admin = `${http}/admin`

/** The code that an authenticator app shows now, after the next step of time has begun. */
export const nextCode = Effect.fnUntraced(function* (secret: string) {
  yield* TestClock.adjust("30 seconds")
  return Totp.codeOf(secret, Totp.stepOf(yield* Clock.currentTimeMillis))
})

/** The path of the link with which a person chooses a password. */
export const invited = Effect.fnUntraced(function* (email: string, role: Role) {
  const { link } = yield* Invites.use((invites) =>
    invites.create(Actor.cli("root"), { email, name: `Ada ${role}`, role })
  )
  return link
})

/** The secret that a page shows to an authenticator app. */
export const secretOn = ({ text }: Browser.Page) => /secret=([A-Z2-7]{32})/.exec(text)?.[1] ?? ""

/** A staff member who has accepted the invitation, set the app up, and is signed in in a browser. */
export const signedIn = Effect.fnUntraced(function* (email: string, role: Role) {
  const browser = yield* Browser.forServer(http)
  yield* browser.open(yield* invited(email, role))
  yield* browser.submit({ password })
  yield* browser.open(`${admin}/sign-in`)
  const enrol = yield* browser.submit({ email, password })
  const secret = secretOn(enrol)
  const codes = yield* browser.submit({ otp: yield* nextCode(secret) })
  const [recovery = ""] = /<pre id="codes">([^<]+)</.exec(codes.text)?.[1]?.split("\n") ?? []
  const page = yield* browser.open(admin)
  return { browser, page, codes, recovery, secret, cookie: Option.fromNullishOr(browser.cookies.get("staff")) }
})

import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { newAccount, password } from "../../dashboard/PagesTesting.ts"
import * as Browser from "../../support/Browser.ts"

/** The redirect URI of the apps in these tests. No server listens there, so the browser stops there. */
export const callback = "http://127.0.0.1:3999/callback"

export const reading = "catalog:read account:read orders:read wallet:read"

/** The issuer of the service: the address on which it listens. */
export const issuer = HttpServer.addressFormattedWith((address) =>
  Effect.succeed(`http://127.0.0.1:${new URL(address).port}`)
)

/** A new person opens an app's authorization URL; returns the last redirect of the browser. */
export const approve = Effect.fnUntraced(function* (authorizationUrl: URL | string, more: Record<string, string> = {}) {
  const account = yield* newAccount
  const browser = yield* Browser.forServer(yield* issuer)
  yield* browser.open(String(authorizationUrl))
  yield* browser.submit({ email: account.email, password })
  const page = yield* browser.submit({ decision: "approve", ...more })
  return { account, callbackUrl: new URL(page.url) }
})

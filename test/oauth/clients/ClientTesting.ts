import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { newAccount, password } from "../../dashboard/PagesTesting.ts"
import * as Browser from "../../support/Browser.ts"

/** Where the apps of these tests are called back; nobody listens there, the browser's walk ends. */
export const callback = "http://127.0.0.1:3999/callback"

export const reading = "catalog:read account:read orders:read wallet:read"

/** The service's issuer, where it listens. */
export const issuer = HttpServer.addressFormattedWith((address) =>
  Effect.succeed(`http://127.0.0.1:${new URL(address).port}`)
)

/** A person with an account of their own, who is shown an app's authorization URL; answers where the browser is led back. */
export const approve = Effect.fnUntraced(function* (authorizationUrl: URL | string, more: Record<string, string> = {}) {
  const account = yield* newAccount
  const browser = yield* Browser.forServer(yield* issuer)
  yield* browser.open(String(authorizationUrl))
  yield* browser.submit({ email: account.email, password })
  const page = yield* browser.submit({ decision: "approve", ...more })
  return { account, callbackUrl: new URL(page.url) }
})

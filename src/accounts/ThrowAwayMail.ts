import { Config, Effect } from "effect"
import { RequestInvalid } from "../platform/errors/RequestInvalid.ts"

/** `DISPOSABLE_EMAIL`: accounts with a throw-away address are allowed, buy only with a verified email, or are refused. */
export const setting = Config.option(Config.Literals(["allow", "verify", "block"], "DISPOSABLE_EMAIL"))

/** Loads the list when it is first needed. It comes with a release and is never fetched. */
const loaded = Effect.cached(
  Effect.promise(async () => (await import("disposable-email-domains-js")).disposableEmailBlocklistSet())
)

/** The domain of an address and the domains above it: `a.b.test`, `b.test`. */
const domainsOf = (email: string): ReadonlyArray<string> => {
  const labels = email
    .slice(email.lastIndexOf("@") + 1)
    .toLowerCase()
    .split(".")
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join("."))
}

/** Makes a test whether the provider of an address gives throw-away addresses. */
export const makeIsThrowAway = Effect.map(
  loaded,
  (list) => (email: string) => Effect.map(list, (domains) => domainsOf(email).some((domain) => domains.has(domain)))
)

/** Makes a refusal of throw-away addresses, when `DISPOSABLE_EMAIL` is `block`. */
export const makeRefuse = Effect.gen(function* () {
  const mode = yield* setting
  const isThrowAway = yield* makeIsThrowAway
  return Effect.fnUntraced(function* (email: string) {
    if (mode._tag === "None" || mode.value !== "block" || !(yield* isThrowAway(email))) return
    return yield* RequestInvalid.at(["body", "email"], "This provider gives throw-away addresses; use another address")
  })
})

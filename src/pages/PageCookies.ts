import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { choose } from "../brand/LanguageCode.ts"
import { Addresses } from "../platform/settings/Addresses.ts"

/** The names of the pages' cookies. With https, the prefix keeps other hosts and plain connections from setting them. */
export const names = Effect.map(Addresses, ({ app_url }) =>
  new URL(app_url).protocol === "https:"
    ? {
        browser: "__Host-browser",
        known: "__Host-known",
        language: "__Host-language",
        paying: "__Host-paying",
        session: "__Host-session",
        secure: true
      }
    : { browser: "browser", known: "known", language: "language", paying: "paying", session: "session", secure: false }
)

/** Makes the effect that finds the language of a request: the one that the person chose in this browser, else the browser's. */
export const makeLanguage = Effect.map(names, ({ language }) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ cookies, headers }) =>
    choose(cookies[language], headers["accept-language"])
  )
)

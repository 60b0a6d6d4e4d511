import { Effect } from "effect"
import { AdminUrl } from "../platform/settings/Addresses.ts"
import { guidesPath, pathOf } from "./PagePaths.ts"

const origin = "http://app.invalid"

/** Limit of the characters of a path, so that a redirect fits the headers that servers accept. */
const longest = 2_000

/** Checks the page to which a person goes next. Returns a path below one of `roots`; for every other text, `home`. */
export const within =
  (home: string, roots: ReadonlyArray<string>) =>
  (given: string | null | undefined): string => {
    if (given === null || given === undefined || given.length > longest || !given.startsWith("/")) return home
    const url = URL.parse(given, origin)
    // Browsers read a backslash as a slash, and "//" as the begin of another host.
    if (url === null || url.origin !== origin || /[\\\p{Cc}]/u.test(given)) return home
    const isPage = roots.some((path) => url.pathname === path || url.pathname.startsWith(`${path}/`))
    return isPage && !url.pathname.startsWith("//") ? `${url.pathname}${url.search}` : home
  }

/**
 * Makes the function that checks the page to which a person goes next. Returns a path of this host's pages or guides; for every other
 * text, the path of the first page. So no link can lead a person away from the service.
 */
export const make = Effect.map(Effect.all([pathOf(""), AdminUrl]), ([first, adminUrl]) => {
  const root = first.replace(/\/$/, "")
  return within(root || "/", [root, guidesPath, new URL(adminUrl).pathname])
})

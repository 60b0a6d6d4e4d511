import { Effect } from "effect"
import { Addresses } from "../platform/settings/Addresses.ts"

export type PagePath = `/${string}`

/** The path of a page on this host. It begins with one slash: a redirect to a path with two leads to another host. */
export const pathOf = Effect.fnUntraced(function* (name: string) {
  const { pathname } = new URL(`${(yield* Addresses).app_url}/${name}`)
  const path: PagePath = `/${pathname.replace(/^\/+/, "")}`
  return path
})

/** The path of the guides for customers: beside the documentation of the API, for everybody. */
export const guidesPath = "/docs/guides"

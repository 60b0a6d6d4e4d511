import { Effect } from "effect"
import { Addresses } from "../platform/settings/Addresses.ts"

export type PagePath = `/${string}`

/** Where pages are on this host. One slash in front: a redirect to a path with two leads to another host. */
export const pathOf = Effect.fnUntraced(function* (name: string) {
  const { pathname } = new URL(`${(yield* Addresses).app_url}/${name}`)
  const path: PagePath = `/${pathname.replace(/^\/+/, "")}`
  return path
})

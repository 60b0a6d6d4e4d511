import { Effect } from "effect"
import { AdminUrl } from "../../platform/settings/Addresses.ts"

type Path = `/${string}`

/** Makes the function that finds the path of a page of the back office; `""` is the overview. */
export const make = Effect.map(AdminUrl, (adminUrl) => {
  const root = new URL(adminUrl).pathname as Path
  return (name: string): Path => (name === "" ? root : `${root}/${name}`)
})

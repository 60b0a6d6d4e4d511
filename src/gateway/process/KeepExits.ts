import { Effect } from "effect"
import { missingExits } from "../ExitAddresses.ts"
import { NodeControl } from "../NodeControl.ts"

/** Reads the exit addresses of the shop with their pools, and logs the ones that this machine lacks. */
export const make = Effect.gen(function* () {
  const { proxies } = yield* NodeControl
  let exits: ReadonlyArray<string> = []
  let pools = new Map<string, Array<string>>()
  let missing = ""
  const read = Effect.gen(function* () {
    const found = yield* proxies.exits
    exits = found.map(({ ip }) => ip)
    const lacking = missingExits(exits)
    const usable = found.filter(({ ip, is_sold }) => is_sold && !lacking.includes(ip))
    pools = new Map()
    for (const { ip, ip_version, pool } of usable) pools.getOrInsertComputed(`${pool} ${ip_version}`, () => []).push(ip)
    const now = lacking.join(", ")
    if (now === missing) return
    missing = now
    if (now !== "")
      yield* Effect.logWarning(
        `This machine does not hold the exit addresses ${now}; add them to an interface, or proxies with them cannot connect`
      )
  })
  const exitsOf = (pool: string, ip_version: string): ReadonlyArray<string> => pools.get(`${pool} ${ip_version}`) ?? []
  return { read, exits: () => exits, exitsOf }
})

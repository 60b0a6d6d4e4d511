import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type * as Clock from "./Clock.ts"
import * as Instance from "./Instance.ts"
import type { Random } from "./Random.ts"

interface Options {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  /** The directory for the shop files and the log. */
  readonly directory: string
  readonly random: Random
  readonly clock: () => Clock.Pace
}

const listOf = (network: string, length: number) =>
  Array.from({ length }, (_, index) => `${network}.${index + 1}`).join(", ")

const addresses = listOf("127.0.7", 200)

/** The addresses of the residential proxies of France, between which staff move proxies. */
const french = ["127.0.8", "127.0.9", "127.0.10"].map((network) => listOf(network, 250)).join(", ")

const databaseAway = /^The database (cannot be used|does not answer)/m

/** The discount of the second shop on all prices of the gateway, in percent. */
export const discount = 5

const residential = (shop: string, country: "US" | "FR", exits: string) =>
  shop.replace(
    `${country.toLowerCase()}-residential: { country: ${country}, kind: residential, exits: machine }`,
    (pool) => pool.replace("machine", `[${exits}]`)
  )

/** The demo shop; and one with other prices, in which the residential proxies of the US have addresses of their own. */
const shops = (demo: string) => {
  const shop = residential(demo, "FR", french)
  return [shop, residential(shop, "US", addresses) + `\nprices: [{ vendor: gateway, markup: -${discount}% }]\n`]
}

export interface Operator {
  /** Applies one of two shops. The command may be killed at any moment. */
  readonly changeShop: Effect.Effect<void>
  /** Applies the shop with these prices. */
  readonly sellAt: (prices: "high" | "low") => Effect.Effect<void>
  readonly applied: () => number
  /** The commands that failed, although neither they nor the database were killed. */
  readonly failures: () => ReadonlyArray<string>
}

export const make = ({ clock, directory, env, random, root }: Options): Operator => {
  const demo = fs.readFileSync(path.join(root, "shop.example.yaml"), "utf8")
  const files = shops(demo).map((text, index) => {
    const file = path.join(directory, `shop${index}.yaml`)
    fs.writeFileSync(file, text)
    return file
  })
  const log = path.join(directory, "operator.log")
  const failures: Array<string> = []
  let applied = 0
  const apply = (file: string, isMortal: boolean) =>
    Effect.callback<void>((resume) => {
      fs.writeFileSync(log, "")
      const child = Instance.launch({ root, args: ["shop", "apply", file], env }, clock(), log)
      const mortal = isMortal ? setTimeout(() => child.kill("SIGKILL"), random.between(500, 3000)) : undefined
      child.once("exit", (code) => {
        clearTimeout(mortal)
        if (code === 0) applied += 1
        const said = fs.readFileSync(log, "utf8")
        if (code !== 0 && code !== null && !databaseAway.test(said))
          failures.push(`shop apply works: it ended with ${code}, and said ${said.trim().slice(-300)}`)
        resume(Effect.void)
      })
      return Instance.kill(child)
    })
  const [high = "", low = ""] = files
  return {
    changeShop: Effect.suspend(() => apply(random.pick(files), random.chance(0.3))),
    sellAt: (prices) => apply({ high, low }[prices], false),
    applied: () => applied,
    failures: () => failures
  }
}

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

const addresses = Array.from({ length: 200 }, (_, index) => `127.0.7.${index + 1}`).join(", ")

/** The discount of the second shop on all prices of the gateway, in percent. */
export const discount = 5

/** The demo shop; and one with other prices, in which the residential proxies of the US have addresses of their own. */
const shops = (demo: string) => [
  demo,
  demo.replace("us-residential: { country: US, kind: residential, exits: machine }", (pool) =>
    pool.replace("machine", `[${addresses}]`)
  ) + `\nprices: [{ vendor: gateway, markup: -${discount}% }]\n`
]

/** Applies one of two shops each time. The command may be killed at any moment. */
export const make = ({ clock, directory, env, random, root }: Options): Effect.Effect<void> => {
  const demo = fs.readFileSync(path.join(root, "shop.example.yaml"), "utf8")
  const files = shops(demo).map((text, index) => {
    const file = path.join(directory, `shop${index}.yaml`)
    fs.writeFileSync(file, text)
    return file
  })
  return Effect.callback<void>((resume) => {
    const args = ["shop", "apply", random.pick(files)]
    const child = Instance.launch({ root, args, env }, clock(), path.join(directory, "operator.log"))
    const mortal = random.chance(0.3) ? setTimeout(() => child.kill("SIGKILL"), random.between(500, 3000)) : undefined
    child.once("exit", () => {
      clearTimeout(mortal)
      resume(Effect.void)
    })
    return Instance.kill(child)
  })
}

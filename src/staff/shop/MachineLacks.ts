import { missingExits, missingVersions } from "../../gateway/ExitAddresses.ts"
import type { ShopFile } from "../../shop/ShopFile.ts"

const exitsOf = ({ pools }: Pick<ShopFile, "pools">) =>
  Object.values(pools).flatMap(({ exits }) => (exits === "machine" ? [] : exits))

/** Says which addresses and IP versions of the file this machine lacks. Another machine, with the gateway, may have them. */
export const machineLacks = ({ articles, pools }: ShopFile, host: string): ReadonlyArray<string> => {
  const exits = missingExits(exitsOf({ pools }))
  const ofMachine = Object.values(articles).flatMap(({ ip_version, pool, state = "on" }) =>
    state === "on" && pools[pool]?.exits === "machine" ? ip_version : []
  )
  return [
    ...(exits.length === 0
      ? []
      : [
          `? No interface of this machine has ${exits.join(", ")}. If the gateway runs here, proxies with these addresses cannot connect`
        ]),
    ...missingVersions(ofMachine, host).map(
      (version) =>
        `? This machine has no ${version} address that leads to the internet. If the gateway runs here, the ${version} proxies of a pool with exits: machine leave over another IP version`
    )
  ]
}

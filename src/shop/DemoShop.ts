import { Effect, Result } from "effect"
import * as fs from "node:fs"
import { isDeepStrictEqual } from "node:util"
import type { ShopFile } from "./ShopFile.ts"

const example = new URL("../../shop.example.yaml", import.meta.url)

/** Reads the demo shop. The library for YAML is loaded only with a file to read: most starts have none. */
export const load = Effect.map(
  Effect.promise(() => import("./ReadShopFile.ts")),
  ({ read }) => Result.getOrThrow(read(fs.readFileSync(example, "utf8")))
)

/** True for a file with the pools and the articles of the demo shop, whatever its price rules are. */
export const isDemo = ({ articles, pools }: ShopFile) =>
  Effect.map(load, ({ shop }) => isDeepStrictEqual([articles, pools], [shop.articles, shop.pools]))

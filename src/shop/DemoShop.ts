import { Effect, Result } from "effect"
import * as fs from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { read } from "./ReadShopFile.ts"
import type { ShopFile } from "./ShopFile.ts"

const example = new URL("../../shop.example.yaml", import.meta.url)

/** Reads the demo shop. */
export const load = Effect.sync(() => Result.getOrThrow(read(fs.readFileSync(example, "utf8"))))

/** True for a file with the pools and the articles of the demo shop, whatever its price rules are. */
export const isDemo = ({ articles, pools }: ShopFile) =>
  Effect.map(load, ({ shop }) => isDeepStrictEqual([articles, pools], [shop.articles, shop.pools]))

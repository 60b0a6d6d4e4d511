import { createHash } from "node:crypto"
import type { ShopRows } from "./ShopRepo.ts"

type Rows = Pick<ShopRows, "addresses" | "articles" | "pools" | "rules">
type State = Pick<ShopRows, "announce_above" | "is_demo">

const plain = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)

/** Identifies the shop of the database, so that nobody undoes the change of another person unseen. */
export const versionOf = ({ addresses, articles, pools, rules }: Rows, state: State | undefined): string =>
  createHash("sha256")
    .update(JSON.stringify([addresses, articles, pools, rules, state?.announce_above, state?.is_demo], plain))
    .digest("hex")
    .slice(0, 12)

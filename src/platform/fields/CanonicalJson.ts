import { hash } from "node:crypto"

/** JSON with its keys sorted and no spaces: the same text for the same value. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, node: unknown) =>
    node !== null && typeof node === "object" && !Array.isArray(node)
      ? Object.fromEntries(Object.entries(node).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : node
  ) ?? "null"

/** SHA-256 in hex over a JSON value, whatever the order of its keys. */
export const canonicalDigest = (value: unknown): string => hash("sha256", canonicalJson(value))

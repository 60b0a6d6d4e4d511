import { hash } from "node:crypto"

/** Writes JSON with sorted keys and no spaces, so that equal values give equal texts. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, node: unknown) =>
    node !== null && typeof node === "object" && !Array.isArray(node)
      ? Object.fromEntries(Object.entries(node).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : node
  ) ?? "null"

/** Hashes a JSON value with SHA-256 in hex; the order of its keys does not matter. */
export const canonicalDigest = (value: unknown): string => hash("sha256", canonicalJson(value))

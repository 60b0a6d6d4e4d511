import { hash } from "node:crypto"

const sorted = (value: unknown): unknown => {
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map(sorted)
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([key, field]) => [key, sorted(field)]))
}

/** Writes a JSON value with sorted keys and no spaces, so that equal values give equal texts. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value)) ?? "null"

/** Hashes a JSON value with SHA-256 in hex; the order of its keys does not matter. */
export const canonicalDigest = (value: unknown): string => hash("sha256", canonicalJson(value))

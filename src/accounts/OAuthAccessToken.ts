import type { Addresses } from "../platform/settings/Addresses.ts"

/**
 * The `typ` of an access token (RFC 9068). Session tokens have another `typ`, so the service never takes one kind for
 * the other.
 */
export const typ = "at+jwt"

export type ResourceAddresses = Pick<Addresses["Service"], "issuer" | "mcp_url">

/** The audiences of access tokens: the tool endpoint, the host of the tool server, the issuer (docs/contract.md, "OAuth"). */
export const resources = ({ issuer, mcp_url }: ResourceAddresses): ReadonlyArray<string> => [
  ...new Set([mcp_url, new URL(mcp_url).origin, issuer])
]

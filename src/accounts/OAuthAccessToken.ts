import type { Addresses } from "../platform/settings/Addresses.ts"

/** RFC 9068. A session's token has another, so neither is accepted in the other's place. */
export const typ = "at+jwt"

export type ResourceAddresses = Pick<Addresses["Service"], "issuer" | "mcp_url">

/** What an access token can be for: the tool endpoint, the tool server's own host, the issuer (specification section 5.2). */
export const resources = ({ issuer, mcp_url }: ResourceAddresses): ReadonlyArray<string> => [
  ...new Set([mcp_url, new URL(mcp_url).origin, issuer])
]

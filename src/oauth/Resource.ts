import { type ResourceAddresses, resources } from "../accounts/OAuthAccessToken.ts"

/** Finds the resource that a parameter names. Without a parameter, it is the tool endpoint. Undefined for another value. */
export const resourceOf = (addresses: ResourceAddresses, parameter: string | undefined): string | undefined =>
  parameter === undefined
    ? addresses.mcp_url
    : // A client that parses an address with `URL` sends `https://host/` for `https://host`.
      resources(addresses).find((accepted) => parameter === accepted || parameter === `${accepted}/`)

import { type ResourceAddresses, resources } from "../accounts/OAuthAccessToken.ts"

/** The resource that a parameter names; the tool endpoint when there is none, undefined when it is no accepted value. */
export const resourceOf = (addresses: ResourceAddresses, parameter: string | undefined): string | undefined =>
  parameter === undefined
    ? addresses.mcp_url
    : // Clients that pass an address through `URL` send `https://host/` for `https://host`.
      resources(addresses).find((accepted) => parameter === accepted || parameter === `${accepted}/`)

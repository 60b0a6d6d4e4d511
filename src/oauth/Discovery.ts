import { Scope } from "../accounts/Scope.ts"
import { agentAuth } from "../agents/AgentDiscovery.ts"
import type { Addresses } from "../platform/settings/Addresses.ts"
import { GrantType, TokenEndpointAuthMethod } from "./OAuthClient.ts"

/** The metadata of the authorization server (RFC 8414). */
export const authorizationServer = ({ docs_url, issuer }: Addresses["Service"], agents: boolean) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  scopes_supported: Scope.literals,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: GrantType.literals,
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: TokenEndpointAuthMethod.literals,
  revocation_endpoint_auth_methods_supported: TokenEndpointAuthMethod.literals,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: docs_url,
  ...(agents ? { agent_auth: agentAuth(issuer) } : {})
})

/** The metadata of a resource, above all its authorization server (RFC 9728). */
export const protectedResource = (
  { docs_url, issuer }: Addresses["Service"],
  resource: string,
  resource_name: string
) => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: Scope.literals,
  bearer_methods_supported: ["header"],
  resource_name,
  resource_documentation: docs_url
})

/** The resource that a whole host stands for: the host of the tool server, else the issuer. */
export const resourceOfHost = ({ issuer, mcp_url }: Addresses["Service"], host: string | undefined) => {
  const tools = new URL(mcp_url)
  return host?.toLowerCase() === tools.host ? tools.origin : issuer
}

/** The address of the tool server's protected resource metadata (RFC 9728, section 3.1). */
export const metadataUrl = ({ mcp_url }: Addresses["Service"]): string => {
  const { origin, pathname } = new URL(mcp_url)
  return `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}`
}

/**
 * The paths after `/.well-known/oauth-protected-resource` that name the tool endpoint: the documented path, and the path
 * that clients derive from its address.
 */
export const toolPaths = ({ mcp_url }: Addresses["Service"]): ReadonlyArray<string> =>
  [...new Set(["/mcp", new URL(mcp_url).pathname])].filter((path) => path !== "/")

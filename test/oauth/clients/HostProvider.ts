import { randomUUID } from "node:crypto"
import { callback } from "./ClientTesting.ts"

/** The storage of a host for one tool server, for either library. */
export const makeProvider = (clientMetadataUrl?: string) => {
  const state = randomUUID()
  const kept: { client?: any; tokens?: any; verifier?: string; url?: URL; discovery?: any } = {}
  return {
    kept,
    expectedState: state,
    provider: {
      redirectUrl: callback,
      clientMetadata: {
        client_name: "An MCP host",
        redirect_uris: [callback],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none"
      },
      ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
      state: () => state,
      clientInformation: () => kept.client,
      saveClientInformation: (client: unknown) => void (kept.client = client),
      tokens: () => kept.tokens,
      saveTokens: (tokens: unknown) => void (kept.tokens = tokens),
      redirectToAuthorization: (url: URL) => void (kept.url = url),
      saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
      codeVerifier: () => kept.verifier ?? "",
      discoveryState: () => kept.discovery,
      saveDiscoveryState: (discovery: unknown) => void (kept.discovery = discovery)
    }
  }
}

/** The metadata by which an agent finds how to register, hand over and revoke (docs/contract.md, "Agents"). */
export const agentAuth = (issuer: string) => ({
  version: "0.1",
  register_uri: `${issuer}/agent/auth`,
  claim_uri: `${issuer}/agent/claim`,
  revocation_uri: `${issuer}/agent/revoke`,
  identity_types_supported: ["anonymous"],
  anonymous: { credential_types_supported: ["api_key"] }
})

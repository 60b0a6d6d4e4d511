import { Duration } from "effect"
import type { UserId } from "../User.ts"
import { challengeLasts } from "./PasskeyChallenges.ts"

/** ES256, EdDSA and RS256 (RFC 9053, RFC 8812), the best known first. */
export const algorithms = [-7, -8, -257]

const timeout = Duration.toMillis(challengeLasts)

/** The account that gets a passkey. */
interface Owner {
  readonly id: UserId
  readonly email: string
  /** The credentials that the account has already. */
  readonly credentials: ReadonlyArray<string>
}

/** The handle by which authenticators know an account: the bytes of its id. */
export const handleOf = (id: UserId): string => Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url")

/** Makes the functions that write what a browser needs to make and to use passkeys of a host. */
export const make = (host: string, service: string) => ({
  /** `PublicKeyCredentialCreationOptionsJSON`. */
  creationOptions: (challenge: string, { credentials, email, id }: Owner) => ({
    challenge,
    rp: { id: host, name: service },
    user: { id: handleOf(id), name: email, displayName: email },
    pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
    timeout,
    excludeCredentials: credentials.map((credential) => ({ type: "public-key", id: credential })),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none"
  }),

  /** `PublicKeyCredentialRequestOptionsJSON`. The person chooses one of the passkeys that the browser has for the host. */
  requestOptions: (challenge: string) => ({
    challenge,
    rpId: host,
    timeout,
    allowCredentials: [],
    userVerification: "required"
  })
})

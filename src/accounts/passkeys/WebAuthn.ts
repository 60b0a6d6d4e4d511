import { Context, Data, Duration, Effect, Layer, Option, Schema } from "effect"
import { isIP } from "node:net"
import { Brand } from "../../brand/Brand.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import type { UserId } from "../User.ts"
import { challengeLasts } from "./PasskeyChallenges.ts"

/** ES256, EdDSA and RS256 (RFC 9053, RFC 8812), the best known first. */
const algorithms = [-7, -8, -257]

/** Limit of the characters of a browser's answer. One without a statement of the authenticator's maker has about 1,500. */
const longestAnswer = 16_384

const Bytes = Schema.String.check(Schema.isPattern(/^[\w-]+$/))
const credential = { id: Bytes, rawId: Bytes, type: Schema.Literal("public-key") }
const Created = Schema.Struct({
  ...credential,
  response: Schema.Struct({ clientDataJSON: Bytes, attestationObject: Bytes })
})
const Signed = Schema.Struct({
  ...credential,
  response: Schema.Struct({
    clientDataJSON: Bytes,
    authenticatorData: Bytes,
    signature: Bytes,
    userHandle: Bytes
  })
})
const decoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(schema as never)) as (
    text: string
  ) => Option.Option<S["Type"]>
  return (text: string) => (text.length > longestAnswer ? Option.none() : decode(text))
}
const decodeCreated = decoder(Created)
const decodeSigned = decoder(Signed)

/** The library takes a third of a second to load, and many processes never need it. */
const library = Effect.promise(() => import("@simplewebauthn/server"))
const helpers = Effect.promise(() => import("@simplewebauthn/server/helpers"))

/** The answer does not fit: another challenge or host, a wrong signature, or nobody confirmed it at the authenticator. */
class NotProven extends Data.TaggedError("NotProven") {}

/** A public key that an authenticator made, with the state of the authenticator. Binary values are base64url. */
export interface NewKey {
  readonly credential_id: string
  readonly public_key: string
  readonly sign_count: bigint
  readonly is_synced: boolean
}

interface Owner {
  readonly id: UserId
  readonly email: string
  /** The credentials that the account has already. */
  readonly credentials: ReadonlyArray<string>
}

/** The handle by which authenticators know an account: the bytes of its id. */
export const handleOf = (id: UserId): string => Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url")

/** Browsers have passkeys for names of hosts with https, and for this computer. */
const isPossible = ({ hostname, protocol }: URL) =>
  (protocol === "https:" && isIP(hostname.replace(/^\[|\]$/g, "")) === 0) || /(^|\.)localhost$/.test(hostname)

/**
 * Replaces the statement of the authenticator's maker by none. The service does not ask for one, and the library would
 * request lists of revoked certificates at addresses that the statement names.
 */
const withoutStatement = Effect.fnUntraced(function* (attestationObject: string) {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = yield* helpers
  return yield* Effect.try({
    try: () => {
      const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get("authData")
      const none = new Map<string, string | Uint8Array | Map<string, string>>([
        ["fmt", "none"],
        ["attStmt", new Map<string, string>()],
        ["authData", authData]
      ])
      return isoBase64URL.fromBuffer(isoCBOR.encode(none))
    },
    catch: () => new NotProven()
  })
})

/** The rules of Web Authentication (Level 3) for this service: its host, its origin, and a person confirmed by PIN or body. */
export class WebAuthn extends Context.Service<WebAuthn>()("app/accounts/WebAuthn", {
  make: Effect.gen(function* () {
    const brand = yield* Brand
    const url = new URL((yield* Addresses).app_url)
    const expected = { expectedOrigin: url.origin, expectedRPID: url.hostname, requireUserVerification: true }
    const timeout = Duration.toMillis(challengeLasts)

    /** What a browser needs to make a passkey (`PublicKeyCredentialCreationOptionsJSON`). */
    const creationOptions = (challenge: string, { credentials, email, id }: Owner) => ({
      challenge,
      rp: { id: url.hostname, name: brand.name },
      user: { id: handleOf(id), name: email, displayName: email },
      pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
      timeout,
      excludeCredentials: credentials.map((id) => ({ type: "public-key", id })),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      attestation: "none"
    })

    /** What a browser needs to sign with a passkey (`PublicKeyCredentialRequestOptionsJSON`). The person chooses which. */
    const requestOptions = (challenge: string) => ({
      challenge,
      rpId: url.hostname,
      timeout,
      allowCredentials: [],
      userVerification: "required"
    })

    /** Verifies a passkey that a browser made for this challenge. */
    const created = Effect.fn("WebAuthn.created")(function* (text: string, expectedChallenge: string) {
      const given = Option.getOrUndefined(decodeCreated(text))
      if (given === undefined) return yield* new NotProven()
      const attestationObject = yield* withoutStatement(given.response.attestationObject)
      const response = {
        ...given,
        response: { ...given.response, attestationObject },
        clientExtensionResults: {}
      }
      const { verifyRegistrationResponse } = yield* library
      const { registrationInfo } = yield* Effect.tryPromise({
        try: () =>
          verifyRegistrationResponse({
            ...expected,
            expectedChallenge,
            response,
            supportedAlgorithmIDs: algorithms
          }),
        catch: () => new NotProven()
      })
      if (registrationInfo === undefined) return yield* new NotProven()
      const { credential, credentialBackedUp } = registrationInfo
      return {
        credential_id: credential.id,
        public_key: Buffer.from(credential.publicKey).toString("base64url"),
        sign_count: BigInt(credential.counter),
        is_synced: credentialBackedUp
      } satisfies NewKey
    })

    /** Reads which credential signed, and for whom; nothing is verified yet. */
    const signer = (text: string) =>
      Option.map(decodeSigned(text), (signed) => ({
        signed,
        credential_id: signed.id,
        handle: signed.response.userHandle
      }))

    /** Verifies a signature for this challenge. The caller compares the count of signatures. */
    const verify = Effect.fn("WebAuthn.verify")(function* (
      signed: typeof Signed.Type,
      expectedChallenge: string,
      { credential_id, public_key }: Pick<NewKey, "credential_id" | "public_key">
    ) {
      const { verifyAuthenticationResponse } = yield* library
      const { authenticationInfo, verified } = yield* Effect.tryPromise({
        try: () =>
          verifyAuthenticationResponse({
            ...expected,
            expectedChallenge,
            response: { ...signed, clientExtensionResults: {} },
            credential: {
              id: credential_id,
              publicKey: new Uint8Array(Buffer.from(public_key, "base64url")),
              counter: 0
            }
          }),
        catch: () => new NotProven()
      })
      if (!verified) return yield* new NotProven()
      return {
        sign_count: BigInt(authenticationInfo.newCounter),
        is_synced: authenticationInfo.credentialBackedUp
      }
    })

    return { isPossible: isPossible(url), creationOptions, requestOptions, created, signer, verify }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(Addresses.layer))
}

import { Context, Data, Effect, Layer, Option, Schema } from "effect"
import { isIP } from "node:net"
import { Brand } from "../../brand/Brand.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import * as PasskeyOptions from "./PasskeyOptions.ts"

/** Limit of the characters of a browser's answer. One without a statement of the authenticator's maker has about 1,500. */
const longestAnswer = 16_384
/** Limit of the characters of a stored credential and of a stored key: 1023 bytes, as Web Authentication limits credentials. */
const longestStored = 1_364

const Bytes = Schema.String.check(Schema.isPattern(/^[\w-]+$/))
const credential = { id: Bytes, rawId: Bytes, type: Schema.Literal("public-key") }
const Created = Schema.Struct({
  ...credential,
  response: Schema.Struct({ clientDataJSON: Bytes, attestationObject: Bytes })
})
/** An authenticator sends the handle of the account with a passkey that it found by itself. */
const Signed = Schema.Struct({
  ...credential,
  response: Schema.Struct({ clientDataJSON: Bytes, authenticatorData: Bytes, signature: Bytes, userHandle: Bytes })
})
const decodeCreated = Schema.decodeUnknownOption(Schema.fromJsonString(Created))
const decodeSigned = Schema.decodeUnknownOption(Schema.fromJsonString(Signed))

const bounded = (text: string) => (text.length <= longestAnswer ? text : "")

/** Reads which credential signed, and for whom; nothing is verified yet. None when the text is no answer. */
export const readSigned = (text: string): Option.Option<typeof Signed.Type> => decodeSigned(bounded(text))

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
    const url = new URL((yield* Addresses).app_url)
    const expected = { expectedOrigin: url.origin, expectedRPID: url.hostname, requireUserVerification: true }
    const supportedAlgorithmIDs = PasskeyOptions.algorithms

    /** Verifies a passkey that a browser made for this challenge. */
    const created = Effect.fn("WebAuthn.created")(function* (text: string, expectedChallenge: string) {
      const given = Option.getOrUndefined(decodeCreated(bounded(text)))
      if (given === undefined) return yield* new NotProven()
      const attestationObject = yield* withoutStatement(given.response.attestationObject)
      const answer = { ...given, response: { ...given.response, attestationObject }, clientExtensionResults: {} }
      const { verifyRegistrationResponse } = yield* library
      const { registrationInfo } = yield* Effect.tryPromise({
        try: () =>
          verifyRegistrationResponse({ ...expected, expectedChallenge, response: answer, supportedAlgorithmIDs }),
        catch: () => new NotProven()
      })
      if (registrationInfo === undefined) return yield* new NotProven()
      const { credential, credentialBackedUp } = registrationInfo
      const public_key = Buffer.from(credential.publicKey).toString("base64url")
      if (Math.max(credential.id.length, public_key.length) > longestStored) return yield* new NotProven()
      return {
        credential_id: credential.id,
        public_key,
        sign_count: BigInt(credential.counter),
        is_synced: credentialBackedUp
      } satisfies NewKey
    })

    /** Verifies a signature for this challenge. The caller compares the count of signatures. */
    const verify = Effect.fn("WebAuthn.verify")(function* (
      signed: typeof Signed.Type,
      expectedChallenge: string,
      { credential_id: id, public_key }: Pick<NewKey, "credential_id" | "public_key">
    ) {
      const { verifyAuthenticationResponse } = yield* library
      const publicKey = new Uint8Array(Buffer.from(public_key, "base64url"))
      const answer = { ...signed, clientExtensionResults: {} }
      const { authenticationInfo, verified } = yield* Effect.tryPromise({
        try: () =>
          verifyAuthenticationResponse({
            ...expected,
            expectedChallenge,
            response: answer,
            credential: { id, publicKey, counter: 0 }
          }),
        catch: () => new NotProven()
      })
      if (!verified) return yield* new NotProven()
      return {
        sign_count: BigInt(authenticationInfo.newCounter),
        is_synced: authenticationInfo.credentialBackedUp
      }
    })

    const options = PasskeyOptions.make(url.hostname, (yield* Brand).name)
    return { isPossible: isPossible(url), ...options, created, verify }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(Addresses.layer))
}

import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { exportJWK, generateKeyPair, importJWK, type JWTPayload, jwtVerify, SignJWT } from "jose"
import { randomUUID } from "node:crypto"
import { Addresses } from "../platform/Addresses.ts"
import { SigningKey, SigningKeysRepo } from "./SigningKeysRepo.ts"

const algorithm = "ES256"

const generate = Effect.gen(function* () {
  const { privateKey } = yield* Effect.promise(() => generateKeyPair(algorithm, { extractable: true }))
  const private_jwk = yield* Effect.promise(() => exportJWK(privateKey))
  return yield* Effect.orDie(
    Schema.decodeUnknownEffect(Schema.toType(SigningKey))({
      id: randomUUID(),
      private_jwk,
      created_at: yield* DateTime.now,
      retired_at: null
    })
  )
})

const load = Effect.fnUntraced(function* ({ id, private_jwk, retired_at }: typeof SigningKey.Type) {
  const { d: _, ...public_jwk } = private_jwk
  return {
    id,
    retired: retired_at !== null,
    privateKey: yield* Effect.promise(() => importJWK(private_jwk, algorithm)),
    publicKey: yield* Effect.promise(() => importJWK(public_jwk, algorithm))
  }
})

/**
 * Signs the service's tokens with ES256. `typ` keeps kinds of token apart: one of another
 * kind does not verify, though the key is the same.
 */
export class SigningKeys extends Context.Service<
  SigningKeys,
  {
    readonly sign: (typ: string, claims: JWTPayload) => Effect.Effect<string>
    /** The claims of a token of this kind, for this audience, that is in force. */
    readonly verify: (typ: string, audience: string, token: string) => Effect.Effect<Option.Option<JWTPayload>>
  }
>()("app/accounts/SigningKeys") {
  static readonly layerNoDeps = Layer.effect(
    SigningKeys,
    Effect.gen(function* () {
      const { issuer } = yield* Addresses
      const repo = yield* SigningKeysRepo

      let stored = yield* repo.all
      if (stored.every((key) => key.retired_at !== null)) {
        yield* repo.insertFirst(yield* generate)
        stored = yield* repo.all
      }
      const keys = yield* Effect.forEach(stored, load)
      const active = yield* Effect.orDie(Effect.fromNullishOr(keys.find((key) => !key.retired)))
      const publicKeys = new Map(keys.map((key) => [key.id, key.publicKey]))

      const sign = Effect.fn("SigningKeys.sign")((typ: string, claims: JWTPayload) =>
        Effect.promise(() =>
          new SignJWT({ ...claims, iss: issuer })
            .setProtectedHeader({ alg: algorithm, typ, kid: active.id })
            .sign(active.privateKey)
        )
      )

      const verify = Effect.fn("SigningKeys.verify")(function* (typ: string, audience: string, token: string) {
        const currentDate = DateTime.toDate(yield* DateTime.now)
        const verified = yield* Effect.tryPromise(() =>
          jwtVerify(token, ({ kid }) => publicKeys.get(kid ?? "") ?? Promise.reject(new Error("unknown key")), {
            algorithms: [algorithm],
            typ,
            issuer,
            audience,
            currentDate,
            requiredClaims: ["exp"]
          })
        ).pipe(Effect.option)
        return Option.map(verified, ({ payload }) => payload)
      })

      return SigningKeys.of({ sign, verify })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([SigningKeysRepo.layer, Addresses.layer]))
}

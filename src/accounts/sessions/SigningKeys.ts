import { Clock, Context, DateTime, Effect, Layer, Option, Result, Schedule, Schema, Semaphore } from "effect"
import { decodeProtectedHeader, exportJWK, generateKeyPair, importJWK, type JWTPayload, jwtVerify, SignJWT } from "jose"
import { randomUUID } from "node:crypto"
import { Addresses } from "../../platform/settings/Addresses.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import * as Failure from "../../platform/errors/Failure.ts"
import { RecentMap } from "../../platform/RecentMap.ts"
import * as Secrets from "../../platform/Secrets.ts"
import { SigningKey, SigningKeysRepo } from "./SigningKeysRepo.ts"

const algorithm = "ES256"
/** Minimum time between two queries for unknown keys. Without it, each forged token would cause a query. */
const missPauseMillis = 1000

/** A public key in the published set (RFC 7517). */
export interface PublicJwk {
  readonly kid: string
  readonly alg: typeof algorithm
  readonly use: "sig"
  readonly kty: "EC"
  readonly crv: "P-256"
  readonly x: string
  readonly y: string
}

/** A key as the operator sees it. `retired_at` is null for the active key, which signs. */
export interface SigningKeyView {
  readonly kid: string
  readonly created_at: DateTime.Utc
  readonly retired_at: DateTime.Utc | null
}

/** The claims of a token that ends. `exp` is in seconds. */
interface Claims extends JWTPayload {
  readonly exp: number
}

type ImportedKey = Awaited<ReturnType<typeof importJWK>>

/** A key ready for use. */
interface LoadedKey {
  readonly stored: SigningKey
  readonly jwk: PublicJwk
  readonly privateKey: ImportedKey
  readonly publicKey: ImportedKey
}

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

const importKey = (jwk: SigningKey["private_jwk"] | PublicJwk) => Effect.promise(() => importJWK(jwk, algorithm))

const load = Effect.fnUntraced(function* (stored: SigningKey): Effect.fn.Return<LoadedKey> {
  const { crv, kty, x, y } = stored.private_jwk
  const jwk: PublicJwk = { kid: stored.id, alg: algorithm, use: "sig", kty, crv, x, y }
  return { stored, jwk, privateKey: yield* importKey(stored.private_jwk), publicKey: yield* importKey(jwk) }
})

const isActive = ({ retired_at }: SigningKey) => retired_at === null

/** Reads the id of the signing key from the header of a token; the token is not verified yet. */
const kidOf = (token: string): string =>
  Result.getOrUndefined(Result.try(() => decodeProtectedHeader(token)))?.kid ?? ""

/**
 * Keeps the keys of the database in memory, the active one first, and reloads them after a rotation on any instance. Creates
 * the first key when the database has none.
 */
const follow = Effect.gen(function* () {
  const repo = yield* SigningKeysRepo

  const read = Effect.gen(function* () {
    const stored = yield* repo.all
    if (stored.some(isActive)) return yield* Effect.forEach(stored, load)
    yield* repo.insertFirst(yield* generate)
    return yield* Effect.forEach(yield* repo.all, load)
  })
  let keys: ReadonlyArray<LoadedKey> = yield* read
  let missedAt = Number.NEGATIVE_INFINITY

  const turn = yield* Semaphore.make(1)
  const reload = Effect.map(read, (loaded) => {
    keys = loaded
  })
  const refresh = reload.pipe(turn.withPermit, Effect.withSpan("SigningKeys.refresh"))

  const known = (kid: string) => keys.find(({ stored }) => stored.id === kid)

  /** Requests for an unknown key wait for one query and share its result. */
  const miss = Effect.fnUntraced(function* (kid: string) {
    const now = yield* Clock.currentTimeMillis
    if (known(kid) === undefined && now - missedAt >= missPauseMillis) {
      missedAt = now
      yield* reload
    }
    return known(kid)
  }, turn.withPermit)

  const find = Effect.fnUntraced(function* (kid: string) {
    return known(kid) ?? (yield* miss(kid))
  })

  yield* repo.onChange(refresh).pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning(...Failure.logLine("Cannot listen for rotations of the signing key; trying again", cause))
    ),
    Effect.repeat(Schedule.spaced("1 second")),
    Effect.forkScoped
  )
  // A notification can be lost with its connection.
  yield* refresh.pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning(...Failure.logLine("Cannot read the signing keys; trying again in a minute", cause))
    ),
    Effect.schedule(Schedule.spaced("1 minute")),
    Effect.forkScoped
  )

  return { all: Effect.sync(() => keys), find, refresh }
})

/**
 * Signs the service's tokens with ES256. `typ` separates the kinds of tokens: a token of another kind does not verify,
 * although the key is the same. A retired key verifies until its removal, long after its last token has expired.
 */
export class SigningKeys extends Context.Service<
  SigningKeys,
  {
    readonly sign: (typ: string, claims: JWTPayload) => Effect.Effect<string>
    /** Returns the claims of a valid, unexpired token of this kind for one of these audiences. */
    readonly verify: (
      typ: string,
      audiences: string | ReadonlyArray<string>,
      token: string
    ) => Effect.Effect<Option.Option<Claims>>
    /** The public keys of all valid tokens, as a JWK set (RFC 7517 section 5). */
    readonly jwks: Effect.Effect<{ readonly keys: ReadonlyArray<PublicJwk> }>
    /** Reads the keys from the database, the active one first. */
    readonly list: Effect.Effect<ReadonlyArray<SigningKeyView>>
    /** Replaces the active key with a new one; every instance signs with it immediately. */
    readonly rotate: Effect.Effect<{ readonly kid: string }>
  }
>()("app/accounts/SigningKeys") {
  static readonly layerRemembering = (verifiedAtMost: number) =>
    Layer.effect(
      SigningKeys,
      Effect.gen(function* () {
        const { issuer } = yield* Addresses
        const atomically = yield* Atomically
        const repo = yield* SigningKeysRepo

        const held = yield* follow
        /** The claims of verified tokens: a client sends the same token with many requests. */
        const verified = new RecentMap<string, Claims>(verifiedAtMost)

        const sign = Effect.fn("SigningKeys.sign")(function* (typ: string, claims: JWTPayload) {
          const active = (yield* held.all).find(({ stored }) => isActive(stored))
          if (active === undefined) return yield* Effect.die(new Error("There is no active signing key"))
          return yield* Effect.promise(() =>
            new SignJWT({ ...claims, iss: issuer })
              .setProtectedHeader({ alg: algorithm, typ, kid: active.stored.id })
              .sign(active.privateKey)
          )
        })

        const verify = Effect.fn("SigningKeys.verify")(function* (
          typ: string,
          audiences: string | ReadonlyArray<string>,
          token: string
        ) {
          // The key and the expiry are checked for every request, and the rest once for each token.
          const key = yield* held.find(kidOf(token))
          if (key === undefined) return Option.none()
          const now = yield* Clock.currentTimeMillis
          const id = Secrets.digest(`${typ} ${audiences} ${token}`)
          const known = verified.get(id)
          if (known !== undefined && now < known.exp * 1000) return Option.some(known)
          const audience = typeof audiences === "string" ? audiences : [...audiences]
          return yield* Effect.tryPromise(() =>
            jwtVerify<Pick<Claims, "exp">>(token, key.publicKey, {
              algorithms: [algorithm],
              typ,
              issuer,
              audience,
              currentDate: new Date(now),
              requiredClaims: ["exp"]
            })
          ).pipe(
            Effect.map(({ payload }) => payload),
            Effect.tap((payload) => Effect.sync(() => verified.set(id, payload))),
            Effect.option
          )
        })

        const jwks = Effect.map(held.all, (keys) => ({ keys: keys.map(({ jwk }) => jwk) }))

        const list = Effect.map(repo.all, (keys) =>
          keys.map(({ created_at, id, retired_at }) => ({ kid: id, created_at, retired_at }))
        )

        const rotate = Effect.gen(function* () {
          const key = yield* generate
          yield* atomically(repo.replaceActive(key))
          yield* held.refresh
          return { kid: key.id }
        }).pipe(Effect.withSpan("SigningKeys.rotate"))

        return SigningKeys.of({ sign, verify, jwks, list, rotate })
      })
    )

  /** Each token that it remembers takes about one kilobyte. */
  static readonly layerNoDeps = this.layerRemembering(10_000)

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([SigningKeysRepo.layer, Addresses.layer]))
}

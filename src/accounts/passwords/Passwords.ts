import { Context, Effect, Layer, Option, Result, Semaphore } from "effect"
import { Kdf } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { timingSafeEqual } from "node:crypto"
import { type RateLimited, refuse } from "../../platform/requests/RateLimit.ts"

const utf8 = new TextEncoder()
const cost = { memory: 19_456, passes: 2, parallelism: 1 }

/** One hash uses 19 MiB and, for about 30 ms, one of Node's four threads, which file and DNS access share. */
const atOnce = 2
const waiting = 50
const retryAfterSeconds = 2

const unpadded = (bytes: Uint8Array) => Base64.encode(bytes).replace(/=+$/, "")
const fromUnpadded = (text: string) =>
  Result.getOrThrow(Base64.decode(text.padEnd(Math.ceil(text.length / 4) * 4, "=")))

/** Formats a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`. */
const format = (salt: Uint8Array, hash: Uint8Array) =>
  `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(hash)}`

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

const parse = (text: string) => {
  const [, memory, passes, parallelism, salt = "", hash = ""] = phc.exec(text) ?? []
  return {
    algorithm: Kdf.argon2id({ memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }),
    salt: fromUnpadded(salt),
    hash: fromUnpadded(hash)
  }
}

/** Compared with the given password when the account has none, so that the answer takes the same time. */
const dummy = format(new Uint8Array(16), new Uint8Array(32))

/** Hashes passwords with Argon2id, two at a time. When 50 others wait, it refuses the request with 429. */
export class Passwords extends Context.Service<
  Passwords,
  {
    readonly hash: (password: string) => Effect.Effect<string, RateLimited>
    /** True when the password matches the hash; false without a hash. */
    readonly verify: (password: string, hash: string | null) => Effect.Effect<boolean, RateLimited>
  }
>()("app/accounts/Passwords") {
  static readonly layer = Layer.effect(
    Passwords,
    Effect.gen(function* () {
      const kdf = yield* Kdf.Kdf
      const room = yield* Semaphore.make(atOnce + waiting)
      const gate = yield* Semaphore.make(atOnce)

      const derive = Effect.fnUntraced(function* (algorithm: Kdf.Algorithm, password: string, salt: Uint8Array) {
        const derived = yield* kdf
          .derive(algorithm, utf8.encode(password.normalize("NFKC")), { salt, length: 32 })
          .pipe(Effect.orDie, gate.withPermits(1), room.withPermitsIfAvailable(1))
        return Option.isSome(derived) ? derived.value : yield* refuse(retryAfterSeconds)
      })

      const hash = Effect.fn("Passwords.hash")(function* (password: string) {
        const salt = crypto.getRandomValues(new Uint8Array(16))
        return format(salt, yield* derive(Kdf.argon2id(cost), password, salt))
      })

      const verify = Effect.fn("Passwords.verify")(function* (password: string, stored: string | null) {
        const expected = parse(stored ?? dummy)
        const actual = yield* derive(expected.algorithm, password, expected.salt)
        return stored !== null && timingSafeEqual(actual, expected.hash)
      })

      return Passwords.of({ hash, verify })
    })
  )
}

import { NodeCrypto } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Kdf } from "effect/crypto"

const least = Kdf.argon2id({ memory: 8, passes: 1, parallelism: 1 })

/** Derives keys from passwords with little work: the passwords of tests protect nothing, and there are thousands. */
const kdf = Layer.effect(
  Kdf.Kdf,
  Effect.map(Kdf.Kdf, ({ derive }) =>
    Kdf.Kdf.of({
      derive: (algorithm, secret, options) => derive(algorithm._tag === "Argon2id" ? least : algorithm, secret, options)
    })
  )
)

/** The cryptography of Node, with cheap passwords. */
export const layer = Layer.provideMerge(kdf, NodeCrypto.layer)

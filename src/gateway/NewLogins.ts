import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"

/** Credentials are hexadecimal, so that customers can paste them into a URL. */
const randomHex = (bytes: number) => Hex.encode(SecureRandom.randomBytesUnsafe(bytes))

/** Makes the only login of a proxy. */
export const newLogins = () => [{ username: `u${randomHex(6)}`, password: randomHex(16) }] as const

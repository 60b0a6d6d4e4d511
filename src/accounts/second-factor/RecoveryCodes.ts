import { Array } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Secrets from "../../platform/Secrets.ts"
import * as Base32 from "./Base32.ts"

const codes = 10
const codeBytes = 10

const grouped = (text: string) => text.replace(/(.{4})(?=.)/g, "$1-")

/** Makes ten recovery codes of 80 random bits, such as `k3vq-7w2m-xd5r-ab4t`. */
export const make = (): Array.NonEmptyReadonlyArray<string> =>
  Array.makeBy(codes, () => grouped(Base32.encode(SecureRandom.randomBytesUnsafe(codeBytes)).toLowerCase()))

/** Hashes a recovery code; only the hash is stored. */
export const hashOf = (code: string): string => Secrets.digest(code.replaceAll("-", ""))

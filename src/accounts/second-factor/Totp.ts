import { SecureRandom } from "effect/crypto"
import { createHmac, timingSafeEqual } from "node:crypto"
import * as Base32 from "./Base32.ts"

const stepSeconds = 30
/** RFC 4226, section 4: the length that the RFC recommends. */
const secretBytes = 20
/** Steps before and after the present one whose codes are accepted, for clocks that differ (RFC 6238, section 5.2). */
const drift = 1

/** Makes a secret, in base32. */
export const makeSecret = (): string => Base32.encode(SecureRandom.randomBytesUnsafe(secretBytes))

/** The step of a time in milliseconds since 1970 (RFC 6238, section 4.2). */
export const stepOf = (millis: number): number => Math.floor(millis / 1000 / stepSeconds)

/** The code of a step: HMAC-SHA-1, truncated to `digits` (RFC 4226, section 5.3). */
export const codeOf = (secret: string, step: number, digits = 6): string => {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(step))
  const mac = createHmac("sha1", Base32.decode(secret)).update(message).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits).padStart(digits, "0")
}

/** Finds the first step after `lastStep` that accepts this code of six digits now; undefined when none does. */
export const acceptedStep = (secret: string, code: string, millis: number, lastStep = 0): number | undefined => {
  const present = stepOf(millis)
  return Array.from({ length: 2 * drift + 1 }, (_, index) => present - drift + index).find(
    (step) => step > lastStep && timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code))
  )
}

/** The address that a QR code brings to an authenticator app. `issuer` names the service. */
export const uriOf = (secret: string, account: string, issuer: string): string => {
  // A colon separates the issuer from the account.
  const [service, name] = [issuer, account].map((part) => encodeURIComponent(part.replaceAll(":", " ")))
  return `otpauth://totp/${service}:${name}?secret=${secret}&issuer=${service}&algorithm=SHA1&digits=6&period=${stepSeconds}`
}

import { hash, timingSafeEqual } from "node:crypto"

/** A code verifier: 43 to 128 unreserved characters (RFC 7636 section 4.1). */
const verifier = /^[A-Za-z0-9._~-]{43,128}$/

/** Computes the `S256` challenge of a verifier (RFC 7636 section 4.2). */
const challengeOf = (codeVerifier: string): string => hash("sha256", codeVerifier, "base64url")

/** True when the challenge was made from this verifier (RFC 7636 section 4.6). */
export const proves = (codeVerifier: string, codeChallenge: string): boolean => {
  const [made, kept] = [Buffer.from(challengeOf(codeVerifier)), Buffer.from(codeChallenge)]
  return verifier.test(codeVerifier) && made.length === kept.length && timingSafeEqual(made, kept)
}

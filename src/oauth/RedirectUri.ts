import type { ApplicationType } from "./OAuthClient.ts"

/** The characters of RFC 3986: ASCII without spaces, quotes, backslashes and control characters. */
const characters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/

const authority = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i

/** A loopback URI. A request may change only its port; the two groups match the parts that must stay the same. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/i

/** A private-use scheme: a reversed domain name, which shows its owner (RFC 8252, section 7.1). */
const privateUse = /^[a-z][a-z\d-]*(?:\.[a-z\d-]+)+:\//i

/** True when the URI leads to the person's own machine, both as text and as a browser parses it. */
export const isLoopback = (uri: string): boolean => loopback.test(uri) && URL.parse(uri) !== null

/** A host without wildcards and without encoded characters. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i

/** True when a browser reads the host as it is written. It does not for `https:host` and `https://2130706433`. */
const isPlain = (uri: string, host: string): boolean =>
  plainHost.test(host) && URL.parse(uri)?.hostname === host.toLowerCase().replace(/:\d*$/, "")

/** Finds a fault in a redirect URI that a client registers (docs/contract.md, "OAuth"). */
export const faultOf = (uri: string, application_type: ApplicationType): string | undefined => {
  if (uri.length > 2048) return "must have at most 2048 characters"
  if (!characters.test(uri)) return "must be an absolute URI with only the characters that RFC 3986 allows"
  if (uri.includes("#")) return "must not have a fragment"
  const host = authority.exec(uri)?.[1] ?? ""
  if (host.includes("@")) return "must not contain a username or password"
  if (/^https:/i.test(uri)) return isPlain(uri, host) ? undefined : "must have a valid host in its normal form"
  if (isLoopback(uri)) return undefined
  if (!privateUse.test(uri) || URL.parse(uri) === null) {
    return "must be https, or http on 127.0.0.1, [::1] or localhost, or a reverse-domain scheme such as com.example.app:/"
  }
  return application_type === "native" ? undefined : "has a private-use scheme, which needs application_type native"
}

/** True when a request's redirect URI equals the registered one, character by character. A loopback port may differ. */
export const matches = (registered: string, given: string): boolean => {
  if (registered === given) return true
  const [, origin, rest] = loopback.exec(registered) ?? []
  const [, givenOrigin, givenRest] = loopback.exec(given) ?? []
  return (
    origin !== undefined &&
    origin.toLowerCase() === givenOrigin?.toLowerCase() &&
    rest === givenRest &&
    URL.parse(given) !== null
  )
}

import type { ApplicationType } from "./OAuthClient.ts"

/** Those of RFC 3986: no spaces, quotes, backslashes, control characters, and nothing beyond ASCII. */
const characters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/

const authority = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i

/** What a request may choose anew is the port; the two groups are what it may not. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/i

/** A domain name in reverse, which says whose scheme it is (RFC 8252, section 7.1). */
const privateUse = /^[a-z][a-z\d-]*(?:\.[a-z\d-]+)+:\//i

/** Whether the browser stays on the user's own machine, judged by what is written and by what a browser makes of it. */
export const isLoopback = (uri: string): boolean => loopback.test(uri) && URL.parse(uri) !== null

/** No wildcards, and nothing encoded. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i

/** Whether the host is written as it is read: those of `https:host` and `https://2130706433` are not. */
const isPlain = (uri: string, host: string): boolean =>
  plainHost.test(host) && URL.parse(uri)?.hostname === host.toLowerCase().replace(/:\d*$/, "")

/** What is wrong with a redirect URI that a client wants registered (specification section 5.2). */
export const faultOf = (uri: string, application_type: ApplicationType): string | undefined => {
  if (uri.length > 2048) return "must have at most 2048 characters"
  if (!characters.test(uri)) return "must be an absolute URI, in the characters that RFC 3986 allows"
  if (uri.includes("#")) return "must not have a fragment"
  const host = authority.exec(uri)?.[1] ?? ""
  if (host.includes("@")) return "must not contain a username or password"
  if (/^https:/i.test(uri)) return isPlain(uri, host) ? undefined : "must have a valid host, written plainly"
  if (isLoopback(uri)) return undefined
  if (!privateUse.test(uri) || URL.parse(uri) === null) {
    return "must be https, or http on 127.0.0.1, [::1] or localhost, or a reverse-domain scheme such as com.example.app:/"
  }
  return application_type === "native" ? undefined : "has a private-use scheme, which needs application_type native"
}

/** Whether a request's redirect URI is the registered one: character by character, but for the port of a loopback one. */
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

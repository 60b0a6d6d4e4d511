import { Schema } from "effect"
import { Text } from "../fields/Text.ts"

/**
 * Finds a fault in the text of a URL before `URL` parses it, because `URL` reads `https:host`, backslashes and line
 * ends as something other than they look.
 */
const spelling = (text: string): string | undefined => {
  if (/[\s\\\p{Cc}]/u.test(text)) return "must not contain spaces, control characters or backslashes"
  if (!/^https?:\/\/[^/?#]/i.test(text)) return "must be an https URL"
  if (/^\w+:\/\/[^/?#]*@/.test(text)) return "must not contain a username or password"
  const url = URL.parse(text)
  if (url === null) return "must be an https URL with a valid host and port"
  // Certificates name their hosts without the final dot.
  if (url.hostname.endsWith(".")) return "must not end its host with a dot"
  return url.port === "0" ? "must not use port 0" : undefined
}

/**
 * A URL for outbound requests, kept as the client wrote it. `OutboundHttp.check` also checks where the URL leads, and
 * refuses `http` except to destinations in `OUTBOUND_ALLOW`.
 */
export const OutboundUrl = Text(1, 2048).check(Schema.makeFilter(spelling))

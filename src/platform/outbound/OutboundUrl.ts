import { Schema } from "effect"
import { Text } from "../fields/Text.ts"

/**
 * What the text itself must be. It is judged before `URL` reads it, which would take `https:host`, backslashes and line
 * ends for something else than they look like.
 */
const spelling = (text: string): string | undefined => {
  if (/[\s\\\p{Cc}]/u.test(text)) return "must not contain spaces, control characters or backslashes"
  if (!/^https?:\/\/[^/?#]/i.test(text)) return "must be an https URL"
  if (/^\w+:\/\/[^/?#]*@/.test(text)) return "must not contain a username or password"
  const url = URL.parse(text)
  if (url === null) return "must be an https URL with a valid host and port"
  // A certificate names its host without one.
  if (url.hostname.endsWith(".")) return "must not end its host with a dot"
  return url.port === "0" ? "must not use port 0" : undefined
}

/**
 * An address the service is asked to send requests to, kept as it was written. Where it leads is not known from its
 * text: `OutboundHttp.check` says so, which also refuses `http` except to what `OUTBOUND_ALLOW` names.
 */
export const OutboundUrl = Text(1, 2048).check(Schema.makeFilter(spelling))

import { Duration, Predicate, Result } from "effect"
import { type ClientUnusable, unusable } from "./ClientErrors.ts"
import * as ClientMetadata from "./ClientMetadata.ts"
import { GrantType } from "./OAuthClient.ts"

/** True for the id of a client that a document describes. Other clients are registered or unknown. */
export const isAddress = (client_id: string): boolean => /^https?:/i.test(client_id)

const dotSegment = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i

/**
 * Finds a fault in the address of a document (draft-ietf-oauth-client-id-metadata-document, section 3). The guarded HTTP
 * client checks the target of the address and whether plain `http` is allowed.
 */
export const addressFaultOf = (client_id: string): string | undefined => {
  if (client_id.length > 2048) return "must have at most 2048 characters"
  if (!/^https?:\/\/[^/?#]/.test(client_id)) return "must be an https URL"
  if (client_id.includes("#")) return "must not have a fragment"
  if (/^https?:\/\/[^/?]*@/.test(client_id)) return "must not contain a username or password"
  if (dotSegment.test(client_id)) return "must not contain dot segments"
  const url = URL.parse(client_id)
  if (url === null) return "must be an https URL with a valid host and port"
  if (url.pathname === "/") return "must have a path"
  // The service compares ids as text, so another spelling of the address would be another client.
  return url.href === client_id ? undefined : "must be written in its normal form, as a browser shows it"
}

const listed = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

/** True when the client can authenticate without a secret. A described client has no secret. */
const listsNone = (document: Readonly<Record<PropertyKey, unknown>>): boolean =>
  ["token_endpoint_auth_method", "token_endpoint_auth_methods", "token_endpoint_auth_methods_supported"].some((name) =>
    listed(document[name]).includes("none")
  )

const declaresSecret = (document: Readonly<Record<PropertyKey, unknown>>): boolean => {
  const method = document["token_endpoint_auth_method"]
  return (
    Object.hasOwn(document, "client_secret") ||
    Object.hasOwn(document, "client_secret_expires_at") ||
    (typeof method === "string" && method.startsWith("client_secret"))
  )
}

/** Keeps the listed values that this server offers. A document is written for all servers and may list more. */
const offered = (document: Readonly<Record<PropertyKey, unknown>>) => {
  const { grant_types, response_types } = document
  return {
    ...document,
    token_endpoint_auth_method: "none",
    grant_types: Array.isArray(grant_types)
      ? GrantType.literals.filter((grantType) => grant_types.includes(grantType))
      : grant_types,
    response_types: Array.isArray(response_types) && response_types.includes("code") ? ["code"] : response_types
  }
}

const fail = (reason: string) => Result.fail(unusable(reason))

/** Reads the client ID metadata document served at `client_id` (docs/contract.md, "OAuth"). */
export const read = (
  client_id: string,
  document: unknown
): Result.Result<ClientMetadata.ClientMetadata, ClientUnusable> => {
  if (!Predicate.isObject(document)) return fail("The document must be a JSON object")
  if (document["client_id"] !== client_id) return fail("The client_id in the document must be its own URL")
  if (declaresSecret(document)) return fail("The document must not declare a client secret")
  if (!listsNone(document)) return fail("The document must list none as token_endpoint_auth_method")
  const named = {
    ...offered(document),
    client_name: document["client_name"] ?? new URL(client_id).hostname.slice(0, 100)
  }
  return Result.mapError(ClientMetadata.read(named), ({ description }) => unusable(`In the document: ${description}`))
}

/** Returns the time for which a document is fresh: `max-age` from 5 minutes to 24 hours, by default one hour. */
export const freshFor = (cacheControl: string | undefined): Duration.Duration => {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl ?? "")) return Duration.minutes(5)
  const [, seconds] = /(?:^|[,\s])max-age="?(\d{1,9})/i.exec(cacheControl ?? "") ?? []
  return seconds === undefined
    ? Duration.hours(1)
    : Duration.clamp(Duration.seconds(Number(seconds)), { minimum: Duration.minutes(5), maximum: Duration.hours(24) })
}

import { Schema } from "effect"

export const SessionId = Schema.String.check(Schema.isUUID())

/** The program or browser that uses a session. */
export const SessionClient = Schema.Struct({
  /** The header `User-Agent`, at most 400 characters. */
  user_agent: Schema.NullOr(Schema.String),
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  address: Schema.NullOr(Schema.String)
})
export type SessionClient = typeof SessionClient.Type

/** A session as its owner sees it, with the client of its last recorded use. */
export const Session = Schema.Struct({
  id: SessionId,
  ...SessionClient.fields,
  created_at: Schema.DateTimeUtcFromDate,
  /** Recorded when a browser has not used the session for 5 minutes, and at each refresh of tokens. */
  last_used_at: Schema.DateTimeUtcFromDate,
  expires_at: Schema.DateTimeUtcFromDate
})
export type Session = typeof Session.Type

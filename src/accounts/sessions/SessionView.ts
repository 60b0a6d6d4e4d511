import { Schema, Struct } from "effect"
import { type Session, SessionId } from "../Session.ts"
import { deviceOf } from "./Device.ts"

const time = (description: string) => Schema.DateTimeUtcFromString.annotate({ description })

/** The wire form of a session. */
export const SessionView = Schema.Struct({
  id: SessionId,
  is_current: Schema.Boolean.annotate({ description: "True for the session of this request", examples: [true] }),
  browser: Schema.NullOr(Schema.String).annotate({
    description: "The browser or program that `user_agent` names; null when unknown",
    examples: ["Firefox"]
  }),
  system: Schema.NullOr(Schema.String).annotate({
    description: "The operating system that `user_agent` names; null when unknown",
    examples: ["Windows"]
  }),
  user_agent: Schema.NullOr(Schema.String).annotate({
    description: "The header `User-Agent` of the last recorded use, cut to 400 characters; null without one",
    examples: ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"]
  }),
  address: Schema.NullOr(Schema.String).annotate({
    description: "The client address of the last recorded use: an IPv4 address, or the /64 network of an IPv6 address",
    examples: ["192.0.2.7"]
  }),
  created_at: time("Time of the sign-in"),
  last_used_at: time("Time of the last recorded use: of pages to 5 minutes, of tokens the time of the last refresh"),
  expires_at: time("The session ends at this time, unless it is used before")
}).annotate({ identifier: "Session" })

/** `current` is the session of the request. */
export const sessionView = (session: Session, current: string): typeof SessionView.Type => ({
  ...Struct.pick(session, ["id", "user_agent", "address", "created_at", "last_used_at", "expires_at"]),
  ...deviceOf(session.user_agent),
  is_current: session.id === current
})

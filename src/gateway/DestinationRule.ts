import { Schema } from "effect"

/** From the narrowest to the widest. The narrowest scope with a rule that fits decides. */
export const destinationScopes = ["proxy", "account", "article", "platform"] as const

const Port = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))

const Name = Schema.String.check(
  Schema.isPattern(/^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/, {
    expected: "a host name such as example.com"
  })
)

/**
 * A rule about the destinations of proxies. It fits a connection when all its conditions do; a condition that is null fits
 * every connection. The rule has a range of ports, a network or a host, and never a network and a host.
 */
export const DestinationRule = Schema.Struct({
  id: Schema.String,
  scope: Schema.Literals(destinationScopes),
  /** The id of the article, of the account or of the gateway's proxy. Null for `platform`. */
  scope_id: Schema.NullOr(Schema.String),
  action: Schema.Literals(["deny", "allow"]),
  first_port: Schema.NullOr(Port),
  last_port: Schema.NullOr(Port),
  /** A network such as `203.0.113.0/24`. */
  network: Schema.NullOr(Schema.String),
  /** Fits this host name and every name below it. */
  host_suffix: Schema.NullOr(Name),
  /** Null: until it is removed. */
  until_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type DestinationRule = typeof DestinationRule.Type

import { Option, Schema, SchemaGetter } from "effect"
import { listOf } from "../../platform/fields/ListOf.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { hostOf, networkOf } from "../../platform/fields/RuleText.ts"
import { Text } from "../../platform/fields/Text.ts"
import type { DestinationRule } from "./ProxyDestinations.ts"

const Action = Schema.Literals(["deny", "allow"]).annotate({
  description:
    "`deny` closes destinations and wins over `allow`. With an `allow`, every destination that no `allow` fits is closed"
})

/** A text that is read into its canonical form. */
const canonical = (read: (text: string) => Option.Option<string>, expected: string) =>
  Text(0, 255)
    .check(Schema.makeFilter((text) => Option.isSome(read(text)) || `must be ${expected}`))
    .pipe(
      Schema.decodeTo(Schema.String, {
        decode: SchemaGetter.transform((text) => Option.getOrElse(read(text), () => text)),
        encode: SchemaGetter.passthrough()
      })
    )

const Host = canonical(hostOf, "a host name such as example.com")
const Network = canonical(networkOf, "a network such as 203.0.113.0/24, or an address")
const Port = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))

const NewRule = Schema.Struct({
  action: Action,
  host_suffix: optional(Host, {
    description: "This host name and every name below it, as the client names it in its request",
    examples: ["example.com"]
  }),
  network: optional(Network, { description: "The addresses of the destination", examples: ["203.0.113.0/24"] }),
  first_port: optional(Port, { description: "The first port; without it, all ports", examples: [443] }),
  last_port: optional(Port, { description: "The last port; `first_port` without it", examples: [443] })
}).check(
  Schema.makeFilter(({ first_port, host_suffix, last_port, network }) => [
    ...(first_port === undefined && host_suffix === undefined && network === undefined
      ? [{ path: ["host_suffix"], issue: "needs a host, a network or a port" }]
      : []),
    ...(host_suffix !== undefined && network !== undefined
      ? [{ path: ["network"], issue: "a rule has a host or a network, not both" }]
      : []),
    ...(last_port !== undefined && (first_port === undefined || last_port < first_port)
      ? [{ path: ["last_port"], issue: "must not be below `first_port`" }]
      : [])
  ])
)

/** The owner's rules about the destinations of a proxy in a request, at most 50. */
export const NewDestinations = listOf(NewRule, {
  maximum: 50,
  description: "The rules; they replace all present ones. An empty list opens every destination again",
  examples: [[{ action: "deny", host_suffix: "example.com" }]]
})

/** Completes the rules of a request. */
export const destinationRules = (rules: typeof NewDestinations.Type): ReadonlyArray<DestinationRule> =>
  rules.map(({ action, first_port, host_suffix, last_port, network }) => ({
    action,
    host_suffix: host_suffix ?? null,
    network: network ?? null,
    first_port: first_port ?? null,
    last_port: last_port ?? first_port ?? null
  }))

const RuleView = Schema.Struct({
  action: Action,
  host_suffix: Schema.NullOr(Schema.String).annotate({ examples: ["example.com"] }),
  network: Schema.NullOr(Schema.String).annotate({ examples: ["203.0.113.0/24"] }),
  first_port: Schema.NullOr(Schema.Int).annotate({ description: "Null: all ports", examples: [443] }),
  last_port: Schema.NullOr(Schema.Int).annotate({ examples: [443] })
}).annotate({ identifier: "OwnDestinationRule" })

export const DestinationsView = Schema.Struct({
  order_id: Schema.String.annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"] }),
  rules: Schema.Array(RuleView)
}).annotate({ identifier: "ProxyDestinations" })

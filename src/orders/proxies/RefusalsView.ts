import { DateTime, Schema } from "effect"
import type { Refused } from "./ProxyRefusals.ts"

const Reason = Schema.Literals([
  "no_credentials",
  "wrong_credentials",
  "not_whitelisted",
  "wrong_protocol",
  "too_many_guesses",
  "bad_request",
  "ended",
  "suspended",
  "traffic_used",
  "too_many_connections",
  "too_fast",
  "gateway_full",
  "not_public",
  "blocked_by_operator",
  "blocked_by_owner",
  "port_closed",
  "no_address",
  "name_not_found",
  "unreachable",
  "exit_down",
  "timeout",
  "bad_answer"
])

const RefusalView = Schema.Struct({
  reason: Reason.annotate({
    description:
      "`no_credentials`: the client sent no login; browsers send it only after this answer. `wrong_credentials`: no login of the proxy. `not_whitelisted`: the address is not in the whitelist. `wrong_protocol`: HTTP at a SOCKS5 proxy, or the reverse. `too_many_guesses`: too many wrong passwords from this address. `bad_request`: the request is malformed. `ended`, `suspended`: the proxy serves nobody. `traffic_used`: the traffic limit is reached. `too_many_connections`, `too_fast`: too many open, or too many new connections through the proxy. `gateway_full`: the gateway is at its own limit. `not_public`: a private address, or one of the gateway. `blocked_by_operator`: a rule of the operator. `blocked_by_owner`: your rules about its destinations. `port_closed`: port 25. `no_address`: the destination has no address of the IP version of the proxy. `name_not_found`: its name has no address. `unreachable`, `timeout`: it did not accept the connection, or not in time. `exit_down`: the exit address is out of service. `bad_answer`: the destination sent no valid HTTP answer"
  }),
  source_ip: Schema.NullOr(Schema.String).annotate({
    description: "The address of the client, when the client is the reason; else null",
    examples: ["203.0.113.7"]
  }),
  host: Schema.NullOr(Schema.String).annotate({
    description: "The destination as the client named it, when it is the reason; else null",
    examples: ["example.com"]
  }),
  port: Schema.NullOr(Schema.Int).annotate({ description: "The port of `host`", examples: [443] }),
  count: Schema.Int.annotate({ description: "The number of equal refusals on this UTC day", examples: [12] }),
  first_at: Schema.String.annotate({ examples: ["2026-01-31T12:00:00.000Z"] }),
  last_at: Schema.String.annotate({ examples: ["2026-01-31T12:05:00.000Z"] })
}).annotate({ identifier: "RefusedConnections" })

export const RefusalsView = Schema.Struct({
  order_id: Schema.String.annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"] }),
  refusals: Schema.Array(RefusalView)
}).annotate({ identifier: "OrderRefusals" })

export const refusalsView = (order_id: string, refusals: ReadonlyArray<Refused>): typeof RefusalsView.Type => ({
  order_id,
  refusals: refusals.map((refused) => ({
    ...refused,
    first_at: DateTime.formatIso(refused.first_at),
    last_at: DateTime.formatIso(refused.last_at)
  }))
})

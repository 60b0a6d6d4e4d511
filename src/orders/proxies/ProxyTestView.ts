import { Schema } from "effect"

const Milliseconds = Schema.NullOr(Schema.Int)

/** The result of a test of a proxy from the service's side. */
export const ProxyTestView = Schema.Struct({
  order_id: Schema.String.annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"] }),
  works: Schema.Boolean.annotate({ description: "True when an answer came through the proxy" }),
  failure: Schema.NullOr(
    Schema.Literals(["unreachable", "login_refused", "address_not_allowed", "refused", "no_answer", "timeout"])
  ).annotate({
    description:
      "`unreachable`: the proxy accepts no connection. `login_refused`: it refuses its login. `address_not_allowed`: it has a whitelist, and the service is not in it. `refused`: it does not connect to the service, for example because its traffic is used up. `no_answer`: the connection ended. `timeout`: nothing came within 10 seconds"
  }),
  connect_ms: Milliseconds.annotate({
    description: "The time until the proxy accepted the connection; `null` when it did not",
    examples: [12]
  }),
  first_byte_ms: Milliseconds.annotate({
    description: "The time until the first byte of the answer, from the start; `null` without an answer",
    examples: [85]
  }),
  exit_ip: Schema.NullOr(Schema.String).annotate({
    description: "The address that the service saw; `null` without an answer",
    examples: ["203.0.113.7"]
  }),
  expected_ip: Schema.NullOr(Schema.String).annotate({
    description: "The exit address that the provider reports; `null` when it reports none",
    examples: ["203.0.113.7"]
  }),
  is_expected: Schema.NullOr(Schema.Boolean).annotate({
    description:
      "True when both addresses are the same; `null` when one is missing, or when the service saw a private address because it is in one network with the proxy"
  }),
  tested_at: Schema.String.annotate({ examples: ["2026-01-31T12:00:00.000Z"] })
}).annotate({ identifier: "ProxyTest" })
export type ProxyTestView = typeof ProxyTestView.Type

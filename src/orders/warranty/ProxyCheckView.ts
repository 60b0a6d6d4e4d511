import { DateTime, Schema } from "effect"
import type { OrderId } from "../Order.ts"
import { type Probe, ProbeError, ProbeStatus, statusOf, Vantage } from "./Probe.ts"
import { ReplacementReason, type ReplacementTerms } from "./ReplacementTerms.ts"

const Milliseconds = Schema.NullOr(Schema.Int)

/** A check of a proxy from each vantage, and whether its replacement is free now. */
export const ProxyCheckView = Schema.Struct({
  order_id: Schema.String.annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"] }),
  checked_at: Schema.String.annotate({ examples: ["2026-01-31T12:00:00.000Z"] }),
  status: ProbeStatus.annotate({
    description:
      "`ok`: an answer came through the proxy, from the right address. `failing`: it did not. `unknown`: the check says nothing about the proxy"
  }),
  checks: Schema.Array(
    Schema.Struct({
      vantage: Vantage.annotate({
        description: "`centre`: the service. `self`: the own node of the proxy. `peer`: another node"
      }),
      connect_ms: Milliseconds.annotate({
        description: "The time until the proxy accepted the connection",
        examples: [12]
      }),
      tls_ms: Milliseconds.annotate({
        description: "The time until TLS was agreed through the proxy; `null` when the answer comes without TLS",
        examples: [48]
      }),
      first_byte_ms: Milliseconds.annotate({ description: "The time until the answer", examples: [85] }),
      exit_ip: Schema.NullOr(Schema.String).annotate({
        description: "The address that the answer saw",
        examples: ["203.0.113.7"]
      }),
      expected_ip: Schema.NullOr(Schema.String).annotate({
        description: "The exit address of the proxy; `null` when nobody knows it",
        examples: ["203.0.113.7"]
      }),
      error: Schema.NullOr(ProbeError).annotate({
        description:
          "`unreachable`, `refused`, `no_answer`, `timeout`, `wrong_address`: the proxy fails. `login_refused`, `address_not_allowed`: it does not let the service in. `no_echo`: the service does not reach itself, answers with an error, or has no address of the IP version of the proxy. `provider_down`, `stopped`: it cannot be tried now"
      })
    })
  ),
  replaceable: Schema.Struct({
    free: Schema.Boolean,
    reason: ReplacementReason.annotate({
      description:
        "`failing`: it failed three times in a row, the last time within 10 minutes. `first_day`: it was delivered within 24 hours, and the warranty has not replaced it. `not_failing`: neither. `mobile`: reset it instead. `not_offered`: the provider gives no other address"
    })
  })
}).annotate({ identifier: "ProxyCheck" })
export type ProxyCheckView = typeof ProxyCheckView.Type

export const proxyCheckView = (
  order_id: OrderId,
  probe: Probe,
  replaceable: ReplacementTerms,
  checked_at: DateTime.Utc
): ProxyCheckView => ({
  order_id,
  checked_at: DateTime.formatIso(checked_at),
  status: statusOf(probe),
  checks: [probe],
  replaceable
})

import { Schema } from "effect"

/** Where a proxy is tried from: the service, the own node of the proxy, or another node. */
export const Vantage = Schema.Literals(["centre", "self", "peer"])
export type Vantage = typeof Vantage.Type

/** The reasons for which a proxy counts as failing. */
const failing = ["unreachable", "refused", "no_answer", "timeout", "wrong_address"] as const
/** The reasons for which a try says nothing about the proxy. */
const unknown = ["login_refused", "address_not_allowed", "no_echo", "provider_down", "stopped"] as const

export const ProbeError = Schema.Literals([...failing, ...unknown])
export type ProbeError = typeof ProbeError.Type

export const ProbeStatus = Schema.Literals(["ok", "failing", "unknown"])
export type ProbeStatus = typeof ProbeStatus.Type

/** One try of a proxy. Times are milliseconds from its start. */
export interface Probe {
  readonly vantage: Vantage
  readonly connect_ms: number | null
  readonly tls_ms: number | null
  readonly first_byte_ms: number | null
  readonly exit_ip: string | null
  readonly expected_ip: string | null
  readonly error: ProbeError | null
}

/** Tells what a try says about the proxy. */
export const statusOf = ({ error }: Pick<Probe, "error">): ProbeStatus => {
  if (error === null) return "ok"
  return failing.some((reason) => reason === error) ? "failing" : "unknown"
}

/** The failures in a row after which a proxy counts as failing. */
export const failuresToFail = 3

/** Without a try for this time, nobody knows how a proxy does. */
export const untried = { minutes: 30 }

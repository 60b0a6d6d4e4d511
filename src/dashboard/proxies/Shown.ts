import type { Offer } from "../../catalog/Offer.ts"
import type { Renewal } from "../../orders/changes/ProxyChanges.ts"
import type { Order } from "../../orders/Order.ts"
import type { ProxyHistory } from "../../orders/proxies/ProxyHistory.ts"
import type { DestinationRule } from "../../orders/proxies/ProxyDestinations.ts"
import type { Refused } from "../../orders/proxies/ProxyRefusals.ts"
import type { ProxyTestView } from "../../orders/proxies/ProxyTestView.ts"
import type { TrafficPeriod } from "../../orders/traffic/TrafficPoints.ts"
import type { TrafficUsageView } from "../../orders/traffic/TrafficUsageView.ts"
import type { Faults } from "../../pages/Field.ts"
import type { PaymentIntent } from "../../wallet/PaymentIntent.ts"
import { type Content, type Html, html } from "../../pages/Html.ts"
import type { Effect } from "effect"

type History = Effect.Success<ReturnType<ProxyHistory["Service"]["list"]>>

/** The page of a proxy shows this. */
export interface Shown {
  readonly order: Order
  /** The offer of the order while its orders can be extended. */
  readonly offer: Offer | undefined
  /** The payment that the order waits for. */
  readonly payment: PaymentIntent | undefined
  /** The next renewal at today's price, whether auto-renew is on or off; undefined while there can be none. */
  readonly renewal: Renewal | undefined
  /** Traffic of the running cycle; null when the provider does not report it. */
  readonly usedGb: number | null
  readonly period: TrafficPeriod
  /** Undefined while the provider does not report it. */
  readonly usage: TrafficUsageView | undefined
  /** A URL that answers with the address of its caller. */
  readonly probe: string
  /** The exit address and the device signature of a mobile rotating proxy; null when unknown. */
  readonly mobile: { readonly current_ip: string | null; readonly signature: string | null }
  readonly signatures: ReadonlyArray<string>
  readonly history: History
  /** The part of the history that is shown. */
  readonly part: { readonly limit: number; readonly offset: number }
  /** The owner's rules about destinations; undefined when the proxy has none, or its provider cannot have them. */
  readonly destinations: ReadonlyArray<DestinationRule> | undefined
  /** The refused connections of a live proxy; empty when its provider does not report them. */
  readonly refusals: ReadonlyArray<Refused>
  /** The test that was just made. */
  readonly test?: ProxyTestView
  readonly notice?: Content
  readonly faults?: Faults
  /** The fields of a form that was refused. */
  readonly typed?: { readonly field: (name: string) => string | undefined }
}

/** What was typed in a field that was refused, else its present value. */
export const valueOf = ({ faults, typed }: Shown, name: string, present: string): string =>
  faults?.[name] === undefined ? present : (typed?.field(name) ?? present)

export const fact = (name: Content, value: Content): Html =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`

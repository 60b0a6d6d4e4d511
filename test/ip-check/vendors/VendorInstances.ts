import { NodeHttpClient } from "@effect/platform-node"
import { Context, Effect, Layer, Logger } from "effect"
import { type Finding, type IpVendor, type Quota, VendorUnavailable } from "../../../src/ip-check/vendors/IpVendor.ts"
import { IpVendors } from "../../../src/ip-check/vendors/IpVendors.ts"
import { VendorUsageRepo } from "../../../src/ip-check/vendors/VendorUsageRepo.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

export const ip = "8.8.8.8"
export const clean: Finding = {
  band: "clean",
  risk: "low",
  score: 7,
  signals: {},
  raw: { status_code: 200, body: "{}" }
}
export const unlimited: Quota = { per_day: undefined, per_month: undefined }

/** A vendor in memory, which counts its calls. */
export const vendorOf = (id: string, change: Partial<IpVendor> = {}) => {
  let times = 0
  const ask = change.ask ?? (() => Effect.succeed(clean))
  const vendor: IpVendor = {
    id,
    label: `Vendor ${id}`,
    score_metric: "a number",
    risk_metric: "a word",
    ipv6: true,
    quota: unlimited,
    ...change,
    ask: (ip) =>
      Effect.suspend(() => {
        times++
        return ask(ip)
      })
  }
  return { vendor, times: () => times }
}

export const failing = (change: Partial<VendorUnavailable> = {}) =>
  Effect.fail(new VendorUnavailable({ reason: "HTTP 500: broken", raw: null, ...change }))

/** Builds an instance of the service with these vendors. */
export const instance = (...vendors: ReadonlyArray<IpVendor>) =>
  Effect.map(
    Layer.build(Layer.fresh(IpVendors.layerOf(...vendors)).pipe(Layer.provide(VendorUsageRepo.layer))),
    (context) => {
      const { ask, canAnswer } = Context.get(context, IpVendors)
      return { ask, canAnswer, statuses: Effect.map(ask(ip), (reports) => reports.map(({ row }) => row.status)) }
    }
  )

/** The services that vendors need, without a log. */
export const outside = Layer.mergeAll(TestDatabase.layer, NodeHttpClient.layerNodeHttp, Logger.layer([]))

import { Effect, Schema } from "effect"
import { managedProxyView, ManagedProxyView } from "./ManagedProxyView.ts"
import { MobileSnapshotView, mobileSnapshotView } from "./MobileSnapshotView.ts"
import { isMobileRotating, type Order } from "../Order.ts"
import type { Synced } from "./ProxySync.ts"

/** A proxy, as operations on both kinds of proxies answer it. */
export const ProxyView = Schema.Union([ManagedProxyView, MobileSnapshotView])
export type ProxyView = typeof ProxyView.Type

/** Shows a mobile rotating proxy as its snapshot, and a static one by `ofStatic`. */
export const viewOf = <A>(
  { order, proxy }: Synced,
  ofStatic: (order: Order, proxy: Synced["proxy"]) => A
): Effect.Effect<A | MobileSnapshotView> =>
  isMobileRotating(order) ? mobileSnapshotView(order, proxy) : Effect.sync(() => ofStatic(order, proxy))

export const proxyView = (synced: Synced): Effect.Effect<ProxyView> =>
  viewOf(synced, (order, proxy) => managedProxyView(order, proxy?.used_gb ?? null))

import { Effect, Schema } from "effect"
import { managedProxyView, ManagedProxyView } from "./ManagedProxyView.ts"
import { MobileSnapshotView, mobileSnapshotView } from "./MobileSnapshotView.ts"
import { isMobileRotating } from "../Order.ts"
import type { Synced } from "./ProxySync.ts"

/** A proxy, as operations on both kinds of proxies answer it. */
export const ProxyView = Schema.Union([ManagedProxyView, MobileSnapshotView])
export type ProxyView = typeof ProxyView.Type

export const proxyView = ({ order, proxy }: Synced): Effect.Effect<ProxyView> =>
  isMobileRotating(order)
    ? mobileSnapshotView(order, proxy)
    : Effect.sync(() => managedProxyView(order, proxy?.used_gb ?? null))

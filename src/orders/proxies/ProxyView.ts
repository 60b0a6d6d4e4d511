import { Effect, Schema } from "effect"
import { managed, ManagedProxyView } from "./ManagedProxy.ts"
import { MobileSnapshot, snapshot } from "./MobileSnapshot.ts"
import { isMobileRotating } from "../Order.ts"
import type { Synced } from "./ProxySync.ts"

/** A proxy as operations on both kinds answer it. */
export const ProxyView = Schema.Union([ManagedProxyView, MobileSnapshot])
export type ProxyView = typeof ProxyView.Type

export const proxyView = ({ order, proxy }: Synced): Effect.Effect<ProxyView> =>
  isMobileRotating(order) ? snapshot(order, proxy) : Effect.sync(() => managed(order, proxy?.used_gb ?? null))

import { Schema } from "effect"
import { OrderView } from "../OrderView.ts"
import { MobileSnapshotView } from "./MobileSnapshotView.ts"

/** The details of one order: the snapshot of the proxy for a mobile rotating order with a proxy, else the order. */
export const OrderDetailsView = Schema.Union([OrderView, MobileSnapshotView])

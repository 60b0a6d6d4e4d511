import { Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { SalesPauses } from "./SalesPauses.ts"

/** Lifts the pauses whose time is over. */
export const run = SalesPauses.use(({ liftDue }) => liftDue)

export const layer = Job.layer("SalesPauseExpiry", Schedule.spaced("1 second"), run).pipe(
  Layer.provide(SalesPauses.layer)
)

import { Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { Restrictions } from "./Restrictions.ts"

/** Lifts the restrictions whose time is over. */
export const run = Restrictions.use(({ liftDue }) => liftDue)

export const layer = Job.layer("RestrictionExpiry", Schedule.spaced("1 second"), run).pipe(
  Layer.provide(Restrictions.layer)
)

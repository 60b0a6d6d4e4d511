import { Effect, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { StaffSignIn } from "./StaffSignIn.ts"

/** Deletes sessions, invitations and tokens of staff that have ended. */
export const layer = Job.layer(
  "StaffCleanup",
  Schedule.fixed("10 minutes"),
  Effect.flatMap(StaffSignIn, ({ clean }) => clean)
)

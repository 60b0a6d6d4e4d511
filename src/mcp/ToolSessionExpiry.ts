import { Effect, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { ToolServer } from "./ToolServer.ts"
import { ToolSessions } from "./ToolSessions.ts"

/** Ends idle sessions. */
export const run = Effect.gen(function* () {
  const server = yield* ToolServer
  const sessions = yield* ToolSessions
  yield* Effect.forEach(yield* sessions.closeIdle, server.end, { discard: true })
})

export const layer = Job.layer("ToolSessionExpiry", Schedule.fixed("1 minute"), run)

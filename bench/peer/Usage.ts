import { Schema } from "effect"
import { Session } from "node:inspector/promises"

/** The usage of a process: processor time so far in milliseconds, and resident memory in bytes. */
export const Usage = Schema.Struct({ processorMillis: Schema.Finite, resident: Schema.Finite })
export type Usage = typeof Usage.Type

const usage = (): Usage => {
  const { system, user } = process.cpuUsage()
  return { processorMillis: (user + system) / 1000, resident: process.memoryUsage.rss() }
}

/** The requests of the benchmark to its programs: the usage, or a profile between `start` and `stop`. */
export type Question = "usage" | "start profile" | "stop profile"

const samplingMicros = 200

/** Answers the benchmark, which started this process, and ends with it. */
export const answerBenchmark = () => {
  const session = new Session()
  const answers: Record<Question, () => Promise<unknown>> = {
    usage: async () => usage(),
    "start profile": async () => {
      session.connect()
      await session.post("Profiler.enable")
      await session.post("Profiler.setSamplingInterval", { interval: samplingMicros })
      await session.post("Profiler.start")
      return "started"
    },
    "stop profile": async () => {
      const { profile } = await session.post("Profiler.stop")
      session.disconnect()
      return profile
    }
  }
  process.on("message", (question: Question) => void answers[question]().then((answer) => process.send?.(answer)))
  process.on("disconnect", () => process.exit())
}

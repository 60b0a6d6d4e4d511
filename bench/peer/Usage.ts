import { Schema } from "effect"
import * as fs from "node:fs"
import { Session } from "node:inspector/promises"

/** The usage of a process and its workers: processor time so far in milliseconds, and resident memory in bytes. */
export const Usage = Schema.Struct({ processorMillis: Schema.Finite, resident: Schema.Finite })
export type Usage = typeof Usage.Type

/** The system counts a process's time in hundredths of a second. */
const tickMillis = 10
const pageBytes = 4096

/** The usage of a child process, from `/proc`. */
const usageOf = (pid: string): Usage => {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  const [, parent] = fields
  if (Number(parent) !== process.pid) return { processorMillis: 0, resident: 0 }
  return {
    processorMillis: (Number(fields[11]) + Number(fields[12])) * tickMillis,
    resident: Number(fields[21]) * pageBytes
  }
}

const ofWorkers = () =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [usageOf(pid)]
      } catch {
        return []
      }
    })

const usage = (): Usage => {
  const { system, user } = process.cpuUsage()
  const own = { processorMillis: (user + system) / 1000, resident: process.memoryUsage.rss() }
  if (process.env["WORKERS"] === undefined) return own
  return ofWorkers().reduce(
    (sum, { processorMillis, resident }) => ({
      processorMillis: sum.processorMillis + processorMillis,
      resident: sum.resident + resident
    }),
    own
  )
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

import { Schema } from "effect"

/** The usage of a process: processor time so far in milliseconds, and resident memory in bytes. */
export const Usage = Schema.Struct({ processorMillis: Schema.Finite, resident: Schema.Finite })
export type Usage = typeof Usage.Type

export const usage = (): Usage => {
  const { system, user } = process.cpuUsage()
  return { processorMillis: (user + system) / 1000, resident: process.memoryUsage.rss() }
}

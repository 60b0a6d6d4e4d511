import * as fs from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"

// Loaded into the service before it starts. Answers each message with the cost since the last one: the longest time
// that the event loop was blocked and the processor time, both in milliseconds, and the peak of additional memory in
// MiB.

const delays = monitorEventLoopDelay({ resolution: 1 })
delays.enable()

const memory = (line: "VmRSS" | "VmHWM") =>
  Number(new RegExp(`${line}:\\s+(\\d+)`).exec(fs.readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024

let before = memory("VmRSS")
let usage = process.cpuUsage()

process.on("message", (asked) => {
  const { system, user } = process.cpuUsage(usage)
  const found = { held: delays.max / 1e6, worked: (user + system) / 1000, taken: memory("VmHWM") - before }
  if (asked === "collect") globalThis.gc?.()
  fs.writeFileSync("/proc/self/clear_refs", "5")
  before = memory("VmRSS")
  usage = process.cpuUsage()
  delays.reset()
  process.send?.(found)
})
process.on("disconnect", () => process.exit())

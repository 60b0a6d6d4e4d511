import * as fs from "node:fs"

/** The system counts a process's time in hundredths of a second. */
const tickMillis = 10

/** The processor time of a process and its threads so far, in milliseconds. */
export const processorMillis = (pid: number): number => {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * tickMillis
}

/** The resident memory of a process in bytes. */
export const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024

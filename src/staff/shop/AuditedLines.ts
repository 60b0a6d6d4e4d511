import { warningsFirst } from "./WarningsFirst.ts"

/** Limits of the part of a report that one event holds. The audit log keeps at most 16 KiB of what an action made. */
const mostLines = 400
const mostBytes = 15_000

/** The bytes of a line in a list as PostgreSQL writes it, with the comma and the space. */
const bytesOf = (line: string) => Buffer.byteLength(JSON.stringify(line)) + 2

/** Takes the lines of a report that fit into an event of the audit log, warnings first, and says how many are left out. */
export const auditedLines = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  let bytes = 0
  const shown = warningsFirst(lines)
    .slice(0, mostLines)
    .filter((line) => (bytes += bytesOf(line)) <= mostBytes)
  const left = lines.length - shown.length
  return left === 0 ? shown : [...shown, `and ${left} more lines`]
}

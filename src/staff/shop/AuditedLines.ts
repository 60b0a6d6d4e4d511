import { warningsFirst } from "./WarningsFirst.ts"

/** Limits of the part of a report that one event of the audit log holds. */
const mostLines = 400
const mostCharacters = 40_000

/** Takes the lines of a report that fit into an event of the audit log, warnings first, and says how many are left out. */
export const auditedLines = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  let characters = 0
  const shown = warningsFirst(lines)
    .slice(0, mostLines)
    .filter((line) => (characters += line.length) <= mostCharacters)
  const left = lines.length - shown.length
  return left === 0 ? shown : [...shown, `and ${left} more lines`]
}

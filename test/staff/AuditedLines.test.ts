import { assert, it } from "@effect/vitest"
import { auditedLines } from "../../src/staff/shop/AuditedLines.ts"

it("The audit log holds the warnings of a long report, and the number of lines that are left out", () => {
  const changes = Array.from({ length: 500 }, (_, index) => `~ offer ${index}`)
  const kept = auditedLines([...changes, "? a loss", "? a rule without offers"])
  assert.deepStrictEqual(kept.slice(0, 3), ["? a loss", "? a rule without offers", "~ offer 0"])
  assert.lengthOf(kept, 401)
  assert.strictEqual(kept.at(-1), "and 102 more lines")
})

it("An event of the audit log holds a report of long lines with quotes and umlauts", () => {
  const lines = Array.from({ length: 500 }, (_, index) => `~ "Grün" ${"ä".repeat(200)} ${index}`)
  const kept = auditedLines(lines)
  const bytes = Buffer.byteLength(JSON.stringify({ version: "a".repeat(64), changes: kept }, null, 1))
  assert.isBelow(bytes, 16_384)
  assert.isAbove(bytes, 10_000)
  assert.strictEqual(kept.at(-1), `and ${lines.length - kept.length + 1} more lines`)
})

import { assert, it } from "@effect/vitest"
import { auditedLines } from "../../src/staff/shop/AuditedLines.ts"

it("The audit log holds the warnings of a long report, and the number of lines that are left out", () => {
  const changes = Array.from({ length: 500 }, (_, index) => `~ offer ${index}`)
  const kept = auditedLines([...changes, "? a loss", "? a rule without offers"])
  assert.deepStrictEqual(kept.slice(0, 3), ["? a loss", "? a rule without offers", "~ offer 0"])
  assert.lengthOf(kept, 401)
  assert.strictEqual(kept.at(-1), "and 102 more lines")
})

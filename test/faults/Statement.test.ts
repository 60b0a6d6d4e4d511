import { assert, describe, it } from "@effect/vitest"
import { commitOf, nameOf } from "../../faults/Statement.ts"

describe("The name of a statement", () => {
  it("names the written tables, the same for any number of rows", () => {
    const one = nameOf(`INSERT INTO proxy_order ("id","status") VALUES ($1,$2)`)
    const many = nameOf(`INSERT INTO proxy_order ("id","status") VALUES ($1,$2),($3,$4),($5,$6)`)
    assert.match(one ?? "", /^INSERT proxy_order #[0-9a-f]{4}$/)
    assert.strictEqual(many, one)
  })

  it("tells statements on the same table apart", () => {
    assert.notStrictEqual(nameOf("UPDATE wallet SET seq = $1"), nameOf("UPDATE wallet SET balance = $1"))
  })

  it("contains every write of a statement, and no lock", () => {
    const sql = `WITH due AS (SELECT id FROM proxy_order LIMIT 1 FOR UPDATE SKIP LOCKED)
      UPDATE proxy_order SET status = $1 FROM due`
    assert.match(nameOf(sql) ?? "", /^UPDATE proxy_order #/)
    assert.isUndefined(nameOf("SELECT id FROM wallet WHERE id = $1 FOR NO KEY UPDATE"))
    assert.isUndefined(nameOf("SELECT id FROM proxy_order FOR UPDATE"))
    assert.isUndefined(nameOf("UPDATE session SET used_at = $1"))
  })

  it("of a commit lists the writes of the transaction", () => {
    const written = ["INSERT idempotency_key #0001", "UPDATE wallet, INSERT wallet_transaction #0002"]
    assert.match(
      commitOf(written) ?? "",
      /^COMMIT \(INSERT idempotency_key, UPDATE wallet, INSERT wallet_transaction\) #/
    )
    assert.strictEqual(commitOf([...written, ...written]), commitOf(written))
    assert.isUndefined(commitOf([]))
  })
})

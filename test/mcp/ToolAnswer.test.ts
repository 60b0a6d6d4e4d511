import { assert, it } from "@effect/vitest"
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import type { Rpc } from "effect/rpc"
import { outputSchema } from "../../src/mcp/ToolAnswer.ts"
import { all } from "../../src/rpc/Tools.ts"

const withTables = [
  "list_offers",
  "list_my_orders",
  "get_my_traffic_summary",
  "list_my_wallets",
  "list_wallet_transactions"
]

it("every tool's structured content is an object, described without references; a table is a field of one", () => {
  const ajv = addFormats.default(new Ajv({ strict: false }))
  for (const tool of all.requests.values() as Iterable<Rpc.AnyWithProps>) {
    const schema = outputSchema(tool.successSchema)
    assert.strictEqual(schema["type"], "object", tool._tag)
    assert.notMatch(JSON.stringify(schema), /"\$(ref|defs)"/, tool._tag)
    const isValid = ajv.compile(schema)
    assert.isFalse(isValid({ surprise: 1 }), tool._tag)
    assert.strictEqual(isValid({ csv: "a,b" }), withTables.includes(tool._tag), tool._tag)
  }
})

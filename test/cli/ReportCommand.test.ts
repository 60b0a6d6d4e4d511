import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { report } from "../../src/cli/ReportCommand.ts"
import { Audit } from "../../src/staff/audit/Audit.ts"
import { Reports } from "../../src/staff/reports/Reports.ts"
import { proxy } from "../orders/changes/ProxyChangeTesting.ts"
import * as OrderTesting from "../support/OrderTesting.ts"
import { runner } from "./CommandTesting.ts"

const services = Reports.layer.pipe(Layer.provideMerge(Audit.layer), Layer.provideMerge(OrderTesting.layer))
const run = runner(report(Layer.effect(Reports, Reports)))
const january = "--from 1970-01-01 --to 1970-01-31"

layer(Layer.merge(services, NodeServices.layer))("report", (it) => {
  it.effect("prints rows with tabs, or as CSV", () =>
    Effect.gen(function* () {
      yield* proxy("Residential")
      const head = ["period", "kind", "deliveries", "costed", "coverage", "costed_sales_usd", "cost_usd", "margin_usd"]
      const cells = ["1970-01-01", "residential", "1", "1", "1", "3.50", "2.00", "1.50"]
      const lines = [
        [...head, "margin_rate"],
        [...cells, "0.4286"]
      ]
      const printed = yield* run(`margin ${january} --by kind`)
      assert.strictEqual(printed, lines.map((line) => line.join("\t")).join("\n"))
      const file = yield* run(`margin ${january} --by kind --csv`)
      assert.deepStrictEqual(
        file.split(/\r?\n/),
        lines.map((line) => line.join(","))
      )
    })
  )

  it.effect("explains what it cannot report", () =>
    Effect.gen(function* () {
      assert.include(yield* run(`profit ${january}`), "failed: ")
      assert.include(yield* run("revenue --from 1970-01-32 --to 1970-01-31"), "a day such as 2027-01-31")
      assert.include(yield* run(`churn ${january} --by offer`), "This report cannot be split this way")
      assert.include(yield* run("revenue --from 1970-02-01 --to 1970-01-31"), "must not be before the first")
    })
  )
})

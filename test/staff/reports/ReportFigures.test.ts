import { assert, describe, it } from "@effect/vitest"
import { tableOf } from "../../../src/staff/reports/Reports.ts"

const request = { from: "2027-01-01", to: "2027-01-31", period: "month" } as const

describe("The figures of a report", () => {
  it("follow from the sums", () => {
    const sums = { period: "2027-01-01", group: null, currency: null }
    const { columns, rows } = tableOf({ ...request, name: "revenue" }, [
      { ...sums, sold: "4", gross: "10000000", reversed: "2000000", returned: "1000000" }
    ])
    assert.deepStrictEqual(rows, [
      {
        period: "2027-01-01",
        sold: 4,
        gross_usd: "10.00",
        reversed_usd: "2.00",
        returned_usd: "1.00",
        net_usd: "7.00",
        refund_rate: 0.125
      }
    ])
    assert.deepStrictEqual(
      columns.map(({ name }) => name),
      Object.keys(rows[0]!)
    )
  })

  it("show the coverage beside the margin, and no share of nothing", () => {
    const cut = { ...request, name: "margin", by: "offer" } as const
    const rows = [
      { period: "2027-01-01", group: "7", deliveries: "4", costed: "3", costed_sales: "9000000", cost: "6000000" },
      { period: "2027-01-01", group: null, deliveries: "0", costed: "0", costed_sales: "-500000", cost: "0" },
      { period: "2027-01-01", group: "8", deliveries: "1", costed: "0", costed_sales: "0", cost: "0" }
    ]
    const table = tableOf(cut, rows, 2)
    assert.isTrue(table.is_cut)
    assert.deepStrictEqual(
      table.rows.map((row) => [row["offer"], row["coverage"], row["margin_usd"], row["margin_rate"]]),
      [
        ["7", 0.75, "3.00", 0.3333],
        [null, null, "-0.50", null]
      ]
    )
  })

  it("round a loss like a gain", () => {
    const sums = { period: "2027-01-01", group: null, deliveries: "1", costed: "1", costed_sales: "9000000" }
    const rates = ["10000000", "8000000"].map(
      (cost) => tableOf({ ...request, name: "margin" }, [{ ...sums, cost }]).rows[0]?.["margin_rate"]
    )
    assert.deepStrictEqual(rates, [-0.1111, 0.1111])
  })

  it("are in the currency of the row, and the whole time has no period", () => {
    const sums = { period: null, group: "STAR", currency: "STAR", paid: "70", granted: "5" }
    assert.deepStrictEqual(tableOf({ ...request, name: "liabilities", period: "total", by: "currency" }, [sums]).rows, [
      { currency: "STAR", balance: "75", paid: "70", granted: "5" }
    ])
  })
})

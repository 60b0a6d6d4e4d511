import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixtures from "../../support/Fixtures.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"
import { newSession, newStaff } from "../StaffTesting.ts"

const get = (path: string, secret: string) => request("GET", path, { headers: { authorization: `Bearer ${secret}` } })

const of = (name: string, query = "") => `/v1/admin/reports/${name}?from=1970-01-01&to=1970-01-31${query}`

const sum = { day: new Date(0), currency: "USD", entries: 1, amount: -9, usd: -9_000_000, cost_usd: 0, costed: 0 }

layer(TestApp.layer())("The reports of the admin API", (it) => {
  it.effect("show figures to everyone, and files to those who may export", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Fixtures.fund(yield* Fixtures.newUser, 25_000_000n)
      const viewer = yield* newSession(yield* newStaff("viewer"))
      const finance = yield* newSession(yield* newStaff("finance"))
      const paid = yield* get(of("payments"), viewer)
      assert.deepStrictEqual(
        [paid.status, paid.body.rows[0]],
        [
          200,
          {
            period: "1970-01-01",
            method: "card_gateway",
            currency: "USD",
            paid: 1,
            paid_amount: "25.00",
            failed: 0,
            expired: 0,
            failure_rate: 0,
            left_amount: "0.00"
          }
        ]
      )
      const refused = yield* get(of("payments.csv"), viewer)
      assert.deepStrictEqual([refused.status, refused.body.details.permission], [403, "report.export"])
      yield* sql`INSERT INTO money_day ${sql.insert({ ...sum, flow: "order", country: "=1+1", costed_usd: 0 })}`
      const file = yield* get(of("revenue.csv", "&by=country"), finance)
      assert.strictEqual(file.status, 200)
      assert.include(String(file.headers["content-type"]), "text/csv")
      assert.include(String(file.headers["content-disposition"]), 'filename="revenue.csv"')
      assert.include(String(file.body), "1970-01-01,'=1+1,1,9.00,0.00,0.00,9.00,0")
      const owner = yield* newSession(yield* newStaff("owner"))
      const log = yield* get("/v1/admin/audit?action=report.export&outcome=done", owner)
      assert.deepStrictEqual(
        log.body.items.map(({ reason, subject_id }: any) => [subject_id, reason]),
        [["revenue", "1970-01-01 to 1970-01-31"]]
      )
    })
  )

  it.effect("answer every report, and refuse what has no bound", () =>
    Effect.gen(function* () {
      const secret = yield* newSession(yield* newStaff("viewer"))
      const names = ["revenue", "refunds", "margin", "sales", "recognised", "unearned", "liabilities", "renewals"]
      for (const name of [...names, "churn", "payments"])
        for (const period of ["day", "week", "month", "total"])
          assert.strictEqual((yield* get(of(name, `&period=${period}`), secret)).status, 200, name)
      for (const by of ["provider", "kind", "country", "offer", "channel"])
        assert.strictEqual((yield* get(of("sales", `&by=${by}`), secret)).status, 200, by)
      for (const name of ["recognised", "unearned", "renewals"])
        for (const by of ["provider", "kind"])
          assert.strictEqual((yield* get(of(name, `&by=${by}`), secret)).status, 200, name)
      const unknown = yield* get(of("churn", "&by=offer"), secret)
      assert.deepStrictEqual([unknown.status, unknown.body.details], [400, { reason: "report_group", groups: [] }])
      for (const query of ["from=1970-01-02&to=1970-01-01", "from=1970-01-01&to=1973-01-06"]) {
        const { body, status } = yield* get(`/v1/admin/reports/revenue?${query}`, secret)
        assert.deepStrictEqual([status, body.details.reason], [400, "report_time"])
      }
      for (const path of [of("profit"), "/v1/admin/reports/revenue?from=1970-02-30&to=1970-03-01"])
        assert.strictEqual((yield* get(path, secret)).status, 422)
    })
  )
})

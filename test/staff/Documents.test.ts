import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { noDetails } from "../../src/wallet/invoices/BillingDetails.ts"
import { Invoices } from "../../src/wallet/invoices/Invoices.ts"
import { newPerson } from "../contract/ContractTesting.ts"
import { paidDeposit, takeBack } from "../support/PaidDeposit.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { StaffDocuments } from "../../src/staff/documents/StaffDocuments.ts"
import { actorOf, newSession, newStaff } from "./StaffTesting.ts"

const ask = (secret: string, method: "GET" | "POST", path: string, body?: object, key: string = randomUUID()) =>
  request(method, `/v1/admin${path}`, {
    headers: { authorization: `Bearer ${secret}`, ...(method === "POST" && { "idempotency-key": key }) },
    ...(body !== undefined && { body })
  })

const session = (role: "finance" | "support" | "viewer") => Effect.flatMap(newStaff(role), (id) => newSession(id))

const reason = "Wrong address"

/** A customer with an invoice of 25 dollars. */
const customer = Effect.gen(function* () {
  const { id, session } = yield* newPerson
  const deposit = yield* paidDeposit(session)
  const { body } = yield* request("GET", "/v1/wallet/invoices", { user: session })
  return { id, session, deposit, number: String(body.invoices[0].number) }
})

const events = (user: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ what: string }>`
        SELECT action || ' ' || outcome || coalesce(' ' || (after->>'document'), '') AS what FROM audit_event
        WHERE user_id = ${user} OR subject_id = ${user} ORDER BY occurred_at, id
      `,
      (rows) => rows.map(({ what }) => what)
    )
  )

layer(TestApp.layer())("Documents in the admin API", (it) => {
  it.effect("are found, and issued again once for a key, on record", () =>
    Effect.gen(function* () {
      const [finance, support] = [yield* session("finance"), yield* session("support")]
      const { deposit, id, number, session: own } = yield* customer
      yield* customer
      yield* Invoices.use((invoices) => invoices.setBillingDetails(id as never, { ...noDetails, name: "Ada Ltd" }))
      const { body: user } = yield* request("GET", "/v1/users/me", { user: own })
      for (const q of [number, id, deposit.id, user.email]) {
        const { body } = yield* ask(support, "GET", `/documents?q=${encodeURIComponent(q)}`)
        assert.deepStrictEqual([body.items.map((one: any) => one.number), body.next], [[number], null], q)
      }
      const path = `/documents/${number}/reissue`
      assert.strictEqual((yield* ask(support, "POST", path, { reason })).status, 403)
      const helper = actorOf(yield* newStaff("support"), "support")
      const refused = StaffDocuments.use((documents) =>
        documents.reissue(helper, randomUUID(), number as never, reason)
      )
      assert.strictEqual((yield* Effect.flip(refused))._tag, "PermissionNeeded")
      assert.deepStrictEqual(yield* events(id), ["document.issue refused"])
      const key = randomUUID()
      const again = yield* ask(finance, "POST", path, { reason }, key)
      assert.strictEqual(again.status, 200)
      assert.deepInclude(again.body, { corrects: number, total: "25.00", net: "25.00", tax: "0.00" })
      assert.strictEqual(again.body.buyer.name, "Ada Ltd")
      const repeated = yield* ask(finance, "POST", path, { reason }, key)
      assert.deepStrictEqual(repeated.body, again.body)
      assert.strictEqual(repeated.headers["idempotency-replayed"], "true")
      assert.strictEqual((yield* ask(finance, "POST", path, { reason })).status, 409)
      const { body: notes } = yield* ask(support, "GET", `/documents?q=${id}&kind=credit_note`)
      assert.deepStrictEqual(
        notes.items.map(({ cause, corrects, total }: any) => [cause, corrects, total]),
        [["correction", number, "25.00"]]
      )
      const one = yield* ask(support, "GET", `/documents/${again.body.number}`)
      assert.deepStrictEqual(one.body, again.body)
      assert.deepStrictEqual(yield* events(id), ["document.issue refused", `document.issue done ${again.body.number}`])
      // The customer's API shows the invoice that stands, as before.
      const { body: listed } = yield* request("GET", "/v1/wallet/invoices", { user: own })
      assert.deepStrictEqual([listed.invoices.length, listed.invoices[0].number], [1, again.body.number])
      assert.notProperty(listed.invoices[0], "tax")
      yield* takeBack(deposit.payment_intent_id)
      assert.strictEqual((yield* request("GET", `/v1/wallet/invoices/${number}`, { user: own })).body.reversed, 25)
      // The document never changes, so what was taken back since is beside it.
      const shown = yield* StaffDocuments.use((documents) => documents.find(helper, number as never))
      assert.deepStrictEqual([shown.paper.notes.length, shown.reversed_note === null], [0, false])
    })
  )

  it.effect("come in pages, the newest first", () =>
    Effect.gen(function* () {
      const support = yield* session("support")
      for (let count = 0; count < 3; count++) yield* customer
      const { body: all } = yield* ask(support, "GET", "/documents")
      const numbers: Array<string> = []
      let path = "/documents?limit=2"
      for (let pages = 0; pages < 10; pages++) {
        const { body } = yield* ask(support, "GET", path)
        numbers.push(...body.items.map((one: any) => one.number))
        if (body.next === null) break
        path = `/documents?limit=2&after=${body.next}`
      }
      assert.deepStrictEqual(
        numbers,
        all.items.map((one: any) => one.number)
      )
      assert.isAtLeast(numbers.length, 3)
      assert.strictEqual((yield* ask(support, "GET", "/documents/1970-999999")).status, 404)
      assert.strictEqual((yield* ask(yield* session("viewer"), "GET", "/documents")).status, 403)
    })
  )
})

layer(TestApp.layer())("Taxes in the admin API", (it) => {
  it.effect("keep every rate that was recorded, and refuse what is none", () =>
    Effect.gen(function* () {
      const [finance, support] = [yield* session("finance"), yield* session("support")]
      const rate = { country: "DE", rate_bp: 1900, note: null, valid_from: "2007-01-01", reason: "The law" }
      const key = randomUUID()
      assert.strictEqual((yield* ask(support, "POST", "/tax-rates", rate)).status, 403)
      const recorded = yield* ask(finance, "POST", "/tax-rates", rate, key)
      assert.deepInclude(recorded.body, { id: key, country: "DE", rate_bp: 1900, recorded_by: "A finance" })
      assert.deepStrictEqual((yield* ask(finance, "POST", "/tax-rates", rate, key)).body, recorded.body)
      yield* ask(finance, "POST", "/tax-rates", { ...rate, rate_bp: 1600, valid_from: "2020-07-01" })
      for (const wrong of [
        { country: "UK" },
        { country: "de" },
        { rate_bp: 10_001 },
        { rate_bp: -1 },
        { rate_bp: 7.5 },
        { valid_from: "2027-02-30" },
        { valid_from: "1999-01-01" },
        { note: "two\nlines" },
        { note: "x".repeat(301) }
      ])
        assert.strictEqual((yield* ask(finance, "POST", "/tax-rates", { ...rate, ...wrong })).status, 422)
      const { body } = yield* ask(support, "GET", "/tax-rates")
      assert.deepStrictEqual(
        body.items.map(({ country, rate_bp, valid_from }: any) => [country, rate_bp, valid_from]),
        [
          ["DE", 1600, "2020-07-01"],
          ["DE", 1900, "2007-01-01"]
        ]
      )
    })
  )

  it.effect("let staff check a tax number, until it changes", () =>
    Effect.gen(function* () {
      const [finance, support] = [yield* session("finance"), yield* session("support")]
      const { id } = yield* newPerson
      const details = { name: "Ada SARL", address: "1 Rue", is_business: true, country: "FR", tax_number: "FR1" }
      const give = (tax_number: string) =>
        Invoices.use((invoices) => invoices.setBillingDetails(id as never, { ...details, tax_number }))
      yield* give("FR1")
      const listed = Effect.map(ask(support, "GET", "/tax-numbers"), ({ body }) =>
        body.items.map(({ checked_by, tax_number }: any) => [tax_number, checked_by])
      )
      assert.deepStrictEqual(yield* listed, [["FR1", null]])
      const check = { name: "Ada SARL", country: "FR", tax_number: "FR1", is_right: true, reason: "VIES" }
      const path = `/customers/${id}/tax-number`
      assert.strictEqual((yield* ask(support, "POST", path, check)).status, 403)
      assert.strictEqual((yield* ask(finance, "POST", path, check)).body.checked_by, "A finance")
      assert.deepStrictEqual(yield* listed, [["FR1", "A finance"]])
      for (const other of [{ name: "Bob SARL" }, { country: "BE" }])
        assert.strictEqual((yield* ask(finance, "POST", path, { ...check, ...other })).status, 409)
      const wrong = yield* ask(finance, "POST", path, { ...check, is_right: false })
      assert.strictEqual(wrong.body.checked_by, null)
      assert.isString(wrong.body.refused_at)
      yield* ask(finance, "POST", path, check)
      yield* give("FR2")
      assert.deepStrictEqual(yield* listed, [["FR2", null]])
      assert.strictEqual((yield* ask(finance, "POST", path, check)).status, 409)
      assert.deepStrictEqual(yield* events(id), ["tax.change done", "tax.change done", "tax.change done"])
    })
  )
})

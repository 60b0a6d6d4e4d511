import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { newKey } from "../../contract/ContractTesting.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"
import { customer, end, newProxies } from "./ExportTesting.ts"

const get = (query: string, options: Parameters<typeof request>[2]) =>
  request("GET", `/v1/orders/export${query}`, options)

/** The lines of a file, as any program could find them. */
const linesOf = (text: string) => text.trimEnd().split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)

layer(TestApp.layer(), { excludeTestServices: true })("The export of proxies", (it) => {
  it.effect("writes a URL on each line, newest first, for the running proxies that have an address", () =>
    Effect.gen(function* () {
      const { user, user_id } = yield* customer
      const ids = yield* newProxies(user_id, [
        { username: "a:b", password: "p@/ss", port: 20001 },
        { protocol: "SOCKS5", port: 20002 },
        {}
      ])
      yield* end(ids[2])
      const { body, headers, status } = yield* get("", { user })
      assert.strictEqual(status, 200)
      assert.deepInclude(headers, {
        "content-type": "text/plain; charset=utf-8",
        "content-disposition": `attachment; filename="proxies.txt"`,
        "cache-control": "private, no-store",
        "x-content-type-options": "nosniff"
      })
      const lines = ["http://a%3Ab:p%40%2Fss@192.0.2.1:20001\n", "socks5://user:secret@192.0.2.1:20002\n"]
      assert.strictEqual(body, lines.join(""))
      assert.strictEqual((yield* get("?limit=1&offset=1", { user })).body, lines[1])
      assert.strictEqual((yield* get("?q=20002", { user })).body, lines[1])
      assert.include((yield* get("?proxy_status=expired", { user })).body, "@192.0.2.1:20000")
    })
  )

  it.effect("answers JSON and CSV with the same fields, and keeps formulas out of spreadsheets", () =>
    Effect.gen(function* () {
      const { user, user_id } = yield* customer
      const [id] = yield* newProxies(user_id, [
        { notes: `=HYPERLINK("x")`, tags: ["@a", "b"], username: "-u", password: "+p", city: "Munich", country: "DE" }
      ])
      const { body } = yield* get("?format=json&country=de", { user })
      const [{ expires_at, ...proxy }] = body
      assert.deepStrictEqual(proxy, {
        order_id: id,
        proxy_type: "datacenter",
        proxy_status: "active",
        protocol: "HTTP",
        host: "192.0.2.1",
        port: 20000,
        username: "-u",
        password: "+p",
        country: "DE",
        city: "Munich",
        auto_renew: false,
        notes: `=HYPERLINK("x")`,
        tags: ["@a", "b"]
      })
      const csv = yield* get("?format=csv", { user })
      assert.strictEqual(csv.headers["content-type"], "text/csv; charset=utf-8")
      assert.deepStrictEqual(csv.body.trimEnd().split("\r\n"), [
        Object.keys(body[0]).join(),
        `${id},datacenter,active,HTTP,192.0.2.1,20000,'-u,'+p,DE,Munich,${expires_at},false,"'=HYPERLINK(""x"")","'@a, b"`
      ])
      assert.deepStrictEqual((yield* get("?format=json&q=nothing", { user })).body, [])
      assert.strictEqual((yield* get("?format=csv&q=nothing", { user })).body.trimEnd().split("\r\n").length, 1)
    })
  )

  it.effect("writes lines of one's own, one for each proxy whatever its name has", () =>
    Effect.gen(function* () {
      const { user, user_id } = yield* customer
      yield* newProxies(user_id, [{ notes: "two\r\nlines {host} $& ", city: null, password: "p@ss" }])
      const template = "{protocol}|{host}|{port}|{username}|{password}|{country}|{city}|{name}|{ }{"
      const ask = (template: string, more = "") => get(`?template=${encodeURIComponent(template)}${more}`, { user })
      const refused = yield* ask(template)
      assert.deepStrictEqual([refused.status, refused.body.detail[0].loc], [422, ["query", "template"]])
      assert.include(
        refused.body.detail[0].msg,
        "{protocol} {host} {port} {username} {password} {country} {city} {name}"
      )
      const { body } = yield* ask(template.replace("{ }", ""))
      assert.strictEqual(body, "http|192.0.2.1|20000|user|p@ss|US||two lines {host} $& |{\n")
      const csv = yield* ask("{host}", "&format=csv")
      assert.deepStrictEqual([csv.status, csv.body.detail[0].loc], [422, ["query", "template"]])
    })
  )

  it.effect(
    "refuses a file that would be too large before it reads the proxies, in every format and by every way",
    () =>
      Effect.gen(function* () {
        const person = yield* customer
        const { user, user_id } = person
        const notes = "€".repeat(1000)
        yield* newProxies(
          user_id,
          Array.from({ length: 140 }, () => ({ notes }))
        )
        const longest = "{name}".repeat(20)
        const asked = yield* get(`?template=${longest}`, { user })
        assert.deepStrictEqual([asked.status, asked.body.details.reason], [409, "export_too_large"])
        assert.strictEqual(asked.body.details.bytes_at_most, 8_000_000)
        assert.isAtLeast(asked.body.details.bytes, 140 * 20 * 3000)
        const fewer = yield* get(`?template=${longest}&limit=100`, { user })
        assert.strictEqual(Buffer.byteLength(fewer.body), 100 * (20 * 3000 + 1))

        const link = yield* request("POST", "/v1/download-links", { user, body: { name: "all", template: longest } })
        const download = yield* request("GET", new URL(link.body.url).pathname)
        assert.deepStrictEqual([download.status, download.body.details.reason], [409, "export_too_large"])

        const more = yield* get(`?template=${longest}{host}`, { user })
        assert.deepStrictEqual([more.status, more.body.detail[0].loc], [422, ["query", "template"]])
        assert.include(more.body.detail[0].msg, "at most 20 placeholders")

        const worst = { notes: "\u0001".repeat(1000), tags: Array(50).fill("\u0001".repeat(100)) }
        yield* SqlClient.SqlClient.use(
          (sql) => sql`UPDATE proxy_order SET ${sql.update(worst)} WHERE user_id = ${user_id}`
        )
        for (const format of ["json", "csv", "txt"])
          assert.strictEqual((yield* get(`?format=${format}`, { user })).status, 200, format)
        yield* newProxies(
          user_id,
          Array.from({ length: 90 }, () => worst)
        )
        for (const [format, status] of [
          ["json", 409],
          ["csv", 409],
          ["txt", 200]
        ] as const)
          assert.strictEqual((yield* get(`?format=${format}`, { user })).status, status)
      })
  )

  it.effect("writes one line for each proxy, whatever its values have", () =>
    Effect.gen(function* () {
      const { user, user_id } = yield* customer
      const breaking = ["\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"]
      const broken = `a${breaking.join("b")}=c`
      yield* newProxies(user_id, [
        { notes: broken, tags: [broken], city: broken, username: broken, password: broken },
        { notes: "\u00a0=1+1", username: " @x" }
      ])
      const template = encodeURIComponent("{host} {username} {password} {city} {name}")
      assert.lengthOf(linesOf((yield* get("", { user })).body), 2)
      assert.lengthOf(linesOf((yield* get(`?template=${template}`, { user })).body), 2)
      const [, first = "", second = "", ...more] = linesOf((yield* get("?format=csv", { user })).body)
      assert.isEmpty(more)
      assert.include(first, ",a b b b b b b b =c,")
      assert.include(second, ",' @x,")
      assert.include(second, ",'\u00a0=1+1,")
    })
  )

  it.effect("takes the scope that reads logins, and has nothing of others", () =>
    Effect.gen(function* () {
      const { user, user_id } = yield* customer
      yield* newProxies(user_id, [{}])
      const other = yield* customer
      assert.strictEqual((yield* get("", { user: other.user })).body, null, "an empty file")
      const reading = yield* newKey(user, ["orders:read"])
      assert.include((yield* get("", { key: reading })).body, "secret")
      const writing = yield* newKey(user, ["orders:write", "account:read", "wallet:read", "catalog:read"])
      assert.deepStrictEqual((yield* get("", { key: writing })).body.details, { required_scope: "orders:read" })
    })
  )

  it.effect("is limited to 30 times a minute", () =>
    Effect.gen(function* () {
      const { user } = yield* customer
      const answers = yield* Effect.replicateEffect(get("", { user }), 31)
      const counts = answers.map(({ status }) => status)
      assert.deepStrictEqual(counts, [...Array(30).fill(200), 429])
      assert.match(answers[30]?.headers["retry-after"] ?? "", /^\d+$/)
    })
  )

  it.effect("has more proxies than one query reads, each once", () =>
    Effect.gen(function* () {
      const { user, user_id } = yield* customer
      const ids = yield* newProxies(
        user_id,
        Array.from({ length: 1_050 }, () => ({}))
      )
      const { body } = yield* get("?format=json", { user })
      assert.deepStrictEqual(
        body.map(({ order_id }: any) => order_id),
        ids
      )
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { request as send } from "node:http"
import { HttpServer } from "effect/http"
import { Announcements } from "../../src/announcements/Announcements.ts"
import { wanted } from "../announcements/AnnouncementTesting.ts"
import * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { escaped, hostile, signedIn } from "./DeskTesting.ts"
import { http } from "./PagesTesting.ts"

const publish = (fields: Parameters<typeof wanted>[0] = {}) =>
  Announcements.use((announcements) => Effect.flatMap(wanted(fields), announcements.publish))

/** The one-click request of a mail program (RFC 8058). Answers the status. */
const oneClick = (path: string) =>
  HttpServer.addressFormattedWith((at) =>
    Effect.callback<number>((resume) => {
      const call = send(`${at.replace("0.0.0.0", "127.0.0.1")}${path}`, {
        method: "POST",
        agent: false,
        headers: { host: new URL(http).host, "content-type": "application/x-www-form-urlencoded" }
      })
      call.on("error", (error) => resume(Effect.die(error)))
      call.on("response", (response) => {
        response.resume()
        resume(Effect.succeed(response.statusCode ?? 0))
      })
      call.end("List-Unsubscribe=One-Click")
    })
  )

layer(TestApp.layer())("Announcements on the pages of customers", (it) => {
  it.effect("stand above every page and on the page Status, in the language of the reader, without markup", () =>
    Effect.gen(function* () {
      const { at, browser } = yield* signedIn
      assert.notInclude((yield* at("wallet")).text, "Announcements")
      const now = yield* DateTime.now
      yield* publish({
        kind: "maintenance",
        title_en: hostile,
        body_en: "First part.\n\nSecond part.",
        title_de: "Wartung",
        body_de: "Ein Teil.",
        starts_at: DateTime.add(now, { hours: 1 })
      })
      yield* publish({ title_en: "Old news", starts_at: DateTime.add(now, { hours: 2 }) })
      const page = yield* at("wallet")
      assertSafe(page, http)
      for (const part of [escaped, "<p>First part.</p>", "<p>Second part.</p>", "Maintenance: "])
        assert.include(page.text, part)
      assert.notInclude(page.text, "Old news")
      const german = yield* browser.open(`${http}/app/wallet`, { headers: { "accept-language": "de" } })
      assert.include(german.text, "Wartung: ")
      assert.include(german.text, "<p>Ein Teil.</p>")
      const status = yield* (yield* Browser.forServer(http)).open(`${http}/app/status`)
      assertSafe(status, http)
      assert.include(status.text, escaped)
    })
  )

  it.effect("leave out who is not meant", () =>
    Effect.gen(function* () {
      const { at, user_id } = yield* signedIn
      const other = yield* signedIn
      yield* publish({ title_en: "Only for you", audience: "account", audience_id: user_id })
      assert.include((yield* at("")).text, "Only for you")
      assert.notInclude((yield* other.at("")).text, "Only for you")
    })
  )

  it.effect("come by mail as the person chooses on a page of the account", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { at, browser, user_id } = yield* signedIn
      const isOff = Effect.map(
        sql`SELECT FROM mail_choice WHERE user_id = ${user_id} AND news_off_at IS NOT NULL`,
        ({ length }) => length === 1
      )
      const page = yield* at("account/news")
      assertSafe(page, http)
      assert.include(page.text, "News by mail are on.")
      assert.include((yield* browser.submit({ news: "off" })).text, "News by mail are off.")
      assert.isTrue(yield* isOff)
      assert.include((yield* browser.submit({ news: "on" })).text, "News by mail are on.")
      assert.isFalse(yield* isOff)
    })
  )

  it.effect("have a link in their mails that turns news off and on, with one click of a mail program too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { user_id } = yield* signedIn
      const [row] = yield* sql<{ code: string }>`INSERT INTO mail_choice (user_id) VALUES (${user_id}) RETURNING code`
      const path = `/app/unsubscribe?code=${row?.code}`
      const isOff = Effect.map(
        sql<{ off: boolean }>`SELECT news_off_at IS NOT NULL AS off FROM mail_choice WHERE user_id = ${user_id}`,
        ([choice]) => choice?.off
      )
      const browser = yield* Browser.forServer(http)
      const page = yield* browser.open(`${http}${path}`)
      assertSafe(page, http)
      assert.isFalse(yield* isOff, "opening the link is not enough")
      const done = yield* browser.submit({ choice: "off" })
      assertSafe(done, http)
      assert.include(done.text, "News by mail are off")
      assert.isTrue(yield* isOff)
      assert.include((yield* browser.submit({ choice: "on" })).text, "News by mail are on")
      assert.isFalse(yield* isOff)
      assert.strictEqual(yield* oneClick(path), 200)
      assert.isTrue(yield* isOff)
      assert.strictEqual(yield* oneClick(path), 200)
      for (const code of ["", "nothing", "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"])
        assert.strictEqual(yield* oneClick(`/app/unsubscribe?code=${code}`), 404)
    })
  )
})

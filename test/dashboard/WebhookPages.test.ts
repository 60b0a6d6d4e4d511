import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as TestApp from "../support/TestApp.ts"
import * as Receiver from "../webhooks/Receiver.ts"
import { record } from "../webhooks/WebhooksTesting.ts"
import { placeOf, signedIn, wordsOf } from "./DeskTesting.ts"
import { endpointsOf, secretIn, url, withEndpoint } from "./WebhookPagesTesting.ts"

const answering = (status: string) =>
  Receiver.start((socket) => socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`))

layer(TestApp.layer(), { excludeTestServices: true })("the pages of webhooks", (it) => {
  it.effect("create an endpoint, and show its secret once", () =>
    Effect.gen(function* () {
      const { page, submit, user_id, visit } = yield* signedIn
      assert.include(wordsOf(yield* visit("webhooks")), "You have no endpoint yet.")
      const nonce = page()?.forms.find(({ names }) => names.has("url"))?.values["nonce"] ?? ""
      const created = yield* submit({ url: ` ${url} `, enabled: "on" })
      const [endpoint] = yield* endpointsOf(user_id)
      assert.strictEqual(created.status, 200)
      assert.strictEqual(secretIn(created), endpoint?.signing_secret)
      assert.match(created.text, /<input[^>]*value="on"(?![^>]*checked)/, "only one endpoint can be on")
      const again = yield* submit({ url, enabled: "on", nonce })
      assert.include(wordsOf(again), "created already")
      assert.isUndefined(secretIn(again))
      assert.strictEqual((yield* endpointsOf(user_id)).length, 1)
      const list = yield* visit("webhooks")
      assert.isUndefined(secretIn(list))
      assert.notInclude(list.text, endpoint?.signing_secret ?? "?")
      assert.match(wordsOf(list), new RegExp(`${url} On – never Open`))
    })
  )

  it.effect("say what is wrong with a new endpoint, and keep what was typed", () =>
    Effect.gen(function* () {
      const { submit, user_id, visit } = yield* signedIn
      yield* visit("webhooks")
      const hostile = `https://"><script>alert(1)</script>/`
      for (const [fields, status, said] of [
        [{ url: "http:/nothing" }, 422, "Enter an address that begins with https://"],
        [{ url: hostile }, 422, "Enter an address that begins with https://"],
        [{ url: "x".repeat(5000) }, 422, "Enter an address that begins with https://"],
        [{ url: "https://private.test/hook" }, 422, "We cannot send to this address."],
        [{ url: "http://example.com/hook" }, 422, "We do not send to http:// addresses."],
        [{ url, enabled: "perhaps" }, 422, "Tick this box once, or not at all"],
        [{ url: [url, url] }, 422, "Enter an address that begins with https://"],
        [{ url, enabled: ["on", "on"] }, 422, "Tick this box once, or not at all"],
        [{ url: null }, 422, "Enter an address that begins with https://"],
        [{ url, nonce: null }, 422, "was not confirmed"],
        [{ url, nonce: "1" }, 422, "was not confirmed"]
      ] as const) {
        const page = yield* submit(fields)
        assert.strictEqual(page.status, status, JSON.stringify(fields).slice(0, 100))
        assert.include(page.text, "<title>Error: ")
        if (!("nonce" in fields)) assert.include(wordsOf(page), said)
        assert.notInclude(page.text, "<script>alert")
      }
      yield* submit({ url: "https://private.test/hook" })
      const { text } = yield* submit({ url: "https://private.test/hook" })
      assert.match(
        text,
        /name="url"[^>]*value="https:\/\/private.test\/hook"[^>]*aria-describedby="url-hint url-error"/
      )
      assert.deepStrictEqual(yield* endpointsOf(user_id), [])
    })
  )

  it.effect("refuse forms without their token", () =>
    Effect.gen(function* () {
      const { path, submit, user_id, visit } = yield* withEndpoint()
      for (const action of ["/url", "/secret", "/test", "/disable", "/remove"])
        for (const form_token of [null, "0".repeat(64)]) {
          yield* visit(path)
          const { status } = yield* submit({ form_token }, { action: `${path}${action}` })
          assert.strictEqual(status, 403, action)
        }
      const [endpoint] = yield* endpointsOf(user_id)
      assert.deepInclude(endpoint, { url, enabled: true, previous_secret: null })
    })
  )

  it.effect("answer 409 for a second endpoint that is on", () =>
    Effect.gen(function* () {
      const { submit, user_id, visit } = yield* withEndpoint()
      yield* visit("webhooks")
      const refused = yield* submit({ url, enabled: "on" })
      assert.strictEqual(refused.status, 409)
      assert.include(wordsOf(refused), "Another of your endpoints is on. Switch it off first.")
      assert.match(refused.text, /<input[^>]*value="on"[^>]*checked/)
      assert.strictEqual((yield* submit({ url, enabled: null })).status, 200)
      assert.deepStrictEqual((yield* endpointsOf(user_id)).map(({ enabled }) => enabled).toSorted(), [false, true])
    })
  )

  it.effect("change the URL, switch the endpoint off and on, and remove it", () =>
    Effect.gen(function* () {
      const { path, submit, user_id, visit } = yield* withEndpoint()
      const saved = yield* submit({ url: "https://other.example.com/x" }, { action: "/url" })
      assert.strictEqual(placeOf(saved), `${path}?outcome=saved`)
      assert.include(wordsOf(saved), "The URL is saved.")
      const wrong = yield* submit({ url: "https://private.test/" }, { action: "/url" })
      assert.strictEqual(wrong.status, 422)
      assert.include(wrong.text, 'value="https://private.test/"')
      const off = yield* submit({}, { action: "/disable" })
      assert.include(wordsOf(off), "The endpoint is off. ")
      assert.include(wordsOf(off), "receives no events")
      assert.deepInclude((yield* endpointsOf(user_id))[0], { url: "https://other.example.com/x", enabled: false })
      assert.include(wordsOf(yield* submit({}, { action: "/enable" })), "The endpoint is on.")
      const gone = yield* submit({}, { action: "/remove" })
      assert.strictEqual(placeOf(gone), "webhooks?outcome=removed")
      assert.include(wordsOf(gone), "are removed.")
      assert.deepStrictEqual(yield* endpointsOf(user_id), [])
      assert.strictEqual((yield* visit(path)).status, 404)
    })
  )

  it.effect("keep a URL of 2,048 characters whole in the form", () =>
    Effect.gen(function* () {
      const long = `https://example.com/${"a".repeat(2028)}`
      const { submit, user_id } = yield* withEndpoint(long)
      assert.strictEqual((yield* submit({}, { action: "/url" })).status, 200)
      assert.strictEqual((yield* endpointsOf(user_id))[0]?.url, long)
    })
  )

  it.effect("replace the secret once for each form, and show the new one once", () =>
    Effect.gen(function* () {
      const { page, path, submit, user_id, visit } = yield* withEndpoint()
      const [before] = yield* endpointsOf(user_id)
      const nonce = page()?.forms.find(({ action }) => action.endsWith("/secret"))?.values["nonce"] ?? ""
      const rotated = yield* submit({ overlap_seconds: "3600" }, { action: "/secret" })
      const [after] = yield* endpointsOf(user_id)
      assert.strictEqual(secretIn(rotated), after?.signing_secret)
      assert.strictEqual(after?.previous_secret, before?.signing_secret)
      assert.include(wordsOf(rotated), "The old secret is valid until")
      const again = yield* submit({ overlap_seconds: "3600", nonce }, { action: "/secret" })
      assert.include(wordsOf(again), "replaced already")
      assert.isUndefined(secretIn(again))
      assert.deepStrictEqual(yield* endpointsOf(user_id), [after!])
      const other = yield* submit({ overlap_seconds: "0", nonce }, { action: "/secret" })
      assert.deepStrictEqual([other.status, wordsOf(other).includes("with other entries")], [409, true])
      const wrong = yield* submit({ overlap_seconds: "7" }, { action: "/secret" })
      assert.deepStrictEqual([wrong.status, wordsOf(wrong).includes("Choose how long")], [422, true])
      assert.isUndefined(secretIn(yield* visit(path)))
      yield* submit({ overlap_seconds: "0" }, { action: "/secret" })
      assert.isNull((yield* endpointsOf(user_id))[0]?.previous_secret)
    })
  )

  it.effect("send a test and say what became of it", () =>
    Effect.gen(function* () {
      const receiver = yield* answering("204 No Content")
      const { path, submit } = yield* withEndpoint(receiver.url)
      const delivered = yield* submit({}, { action: "/test" })
      assert.match(placeOf(delivered), new RegExp(`^${path}\\?test=`))
      assert.match(wordsOf(delivered), /Delivered: your server answered 204 in [\d,]+ ms\./)
      assert.include(wordsOf(delivered), " active Test ")
      const refusing = yield* answering("500 Internal Server Error")
      yield* submit({ url: refusing.url }, { action: "/url" })
      assert.match(
        wordsOf(yield* submit({}, { action: "/test" })),
        /Not delivered: your server answered 500 in [\d,]+ ms\. Reason: The receiver answered 500 Internal Server Error/
      )
      yield* submit({ url: "https://example.com/" }, { action: "/url" })
      const lost = yield* submit({}, { action: "/test" })
      assert.match(
        wordsOf(lost),
        /your server did not answer\. We stopped after [\d,]+ ms\. Reason: Connection refused/
      )
      assert.match(lost.text, /webhooks\/[0-9a-f-]{36}\/deliveries\/[0-9a-f-]{36}">See this delivery/)
    })
  )

  it.effect("say that there were too many tests", () =>
    Effect.gen(function* () {
      const receiver = yield* answering("204 No Content")
      const { path, submit, visit } = yield* withEndpoint(receiver.url)
      for (let count = 0; count < 10; count++) yield* submit({}, { action: "/test" })
      const { status, text } = yield* submit({}, { action: "/test" })
      assert.strictEqual(status, 429)
      assert.include(text, "too many requests in a short time")
      assert.strictEqual((yield* visit(path)).status, 200)
    })
  )

  it.effect("know nothing of the endpoints of others", () =>
    Effect.gen(function* () {
      const { endpoint, path, user_id } = yield* withEndpoint()
      const { id } = yield* record(endpoint)
      const stranger = yield* withEndpoint()
      const own = stranger.path
      for (const place of [
        path,
        `${path}/deliveries/${id}`,
        `${own}/deliveries/${id}`,
        `webhooks/${randomUUID()}`,
        "webhooks/7"
      ]) {
        const { status, text } = yield* stranger.visit(place)
        assert.strictEqual(status, 404, place)
        assert.include(text, "This did not work")
        assert.notInclude(text, url)
      }
      // The token of a form is for its address.
      yield* stranger.visit(own)
      const form_token =
        stranger.page()?.forms.find(({ action }) => action.endsWith("/remove"))?.values["form_token"] ?? ""
      assert.strictEqual((yield* stranger.submit({ form_token }, { action: "/disable" })).status, 403)
      assert.strictEqual((yield* endpointsOf(user_id)).length, 1)
    })
  )
})

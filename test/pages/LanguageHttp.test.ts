import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { http } from "../dashboard/PagesTesting.ts"
import * as Browser from "../support/Browser.ts"
import * as TestApp from "../support/TestApp.ts"

const linkOf = ({ text }: Browser.Page) => {
  const [, href = "", name = ""] = /<a\s+href="([^"]*\/language\/[^"]*)"[^>]*>([^<]*)</.exec(text) ?? []
  return { href: href.replaceAll("&amp;", "&"), name }
}

const languageOf = ({ headers, text }: Browser.Page) => {
  assert.include(text, `<html lang="${headers["content-language"]}">`)
  return headers["content-language"]
}

layer(TestApp.layer())("the language of the pages", (it) => {
  it.effect("is the browser's, until the person chooses another by the link in the foot, which keeps the page", () =>
    Effect.gen(function* () {
      const browser = yield* Browser.forServer(http)
      const german = yield* browser.open(`${http}/app/sign-in?next=%2Fapp%2Fkeys`, {
        headers: { "accept-language": "fr, de-CH;q=0.9, en;q=0.8" }
      })
      assert.strictEqual(languageOf(german), "de")
      assert.include(german.text, "<title>Anmelden")
      assert.strictEqual(linkOf(german).name, "English")
      const english = yield* browser.open(linkOf(german).href, { headers: { "accept-language": "de" } })
      assert.strictEqual(english.url, `${http}/app/sign-in?next=%2Fapp%2Fkeys`)
      assert.strictEqual(languageOf(english), "en")
      assert.match(english.setCookies.join(), /^language=en; Max-Age=34560000; Path=\/; SameSite=Lax$/)
      assert.strictEqual(linkOf(english).name, "Deutsch")
      assert.strictEqual(languageOf(yield* browser.open(linkOf(english).href)), "de")
      assert.strictEqual(languageOf(yield* browser.open(`${http}/app/register`)), "de")
    })
  )

  it.effect("leads to no other host, and to no other language than those that exist", () =>
    Effect.gen(function* () {
      for (const next of ["//evil.example", "/\\evil.example", "https://evil.example", "https:", "%0d%0aa:b", ""]) {
        const browser = yield* Browser.forServer(http)
        const page = yield* browser.open(`${http}/app/language/de?${new URLSearchParams({ next })}`)
        assert.isFalse(page.isElsewhere)
        assert.strictEqual(page.redirects[0]?.location, `${http}/app`, next)
        assert.isFalse(browser.cookies.has("a"))
      }
      const browser = yield* Browser.forServer(http)
      const missing = yield* browser.open(`${http}/app/language/fr?next=%2Fapp`)
      assert.deepStrictEqual([missing.status, browser.cookies.has("language")], [404, false])
      browser.cookies.set("language", "fr")
      assert.strictEqual(languageOf(yield* browser.open(`${http}/app/sign-in`)), "en")
    })
  )
})

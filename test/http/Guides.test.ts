import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { guides } from "../../src/dashboard/help/Guides.ts"
import { writeGuide } from "../../src/dashboard/help/GuideText.ts"
import { english } from "../../src/brand/Language.ts"
import { DatabaseHealth } from "../../src/platform/postgres/DatabaseHealth.ts"
import { assertSafe } from "../support/Markup.ts"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"

const origin = "https://proxies.test"
const docs = new URL("../../docs/", import.meta.url)
const paths = ["/docs/guides", ...guides.map(({ name }) => `/docs/guides/${name}`)]

const mocks = Layer.mergeAll(
  Layer.mock(Catalog)({ filled: Effect.succeed(true), offers: () => Effect.succeed([]) }),
  Layer.mock(DatabaseHealth)({ state: Effect.succeed({ reachable: true, migrated: true }) })
)

const open = (path: string, headers: Record<string, string> = {}) =>
  Effect.map(request("GET", path, { headers }), ({ body, headers, status }) => ({
    status,
    headers,
    text: typeof body === "string" ? body : JSON.stringify(body)
  }))

const unescaped = (text: string) =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

const idsOf = (text: string) => Array.from(text.matchAll(/\sid="([^"]*)"/g), ([, id = ""]) => id)

layer(MockedApp.layer(mocks, { PUBLIC_URL: origin }))("The guides", (it) => {
  it.effect("lead only to pages and sections that exist, and to other sites", () =>
    Effect.gen(function* () {
      const broken: Array<string> = []
      const checked = new Set<string>()
      for (const path of paths) {
        const { text } = yield* open(path)
        for (const [, escaped = ""] of text.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)) {
          const url = new URL(unescaped(escaped), `${origin}${path}`)
          if (url.origin !== origin) {
            if (url.protocol !== "https:") broken.push(`${path}: ${url.href}`)
            continue
          }
          const target = yield* open(`${url.pathname}${url.search}`)
          const anchor = decodeURIComponent(url.hash.slice(1))
          const isThere = anchor === "" || idsOf(target.text).includes(anchor)
          if (target.status !== 200 || !isThere) broken.push(`${path}: ${url.href} (${target.status})`)
          checked.add(url.href)
        }
      }
      assert.deepStrictEqual(broken, [])
      // The search finds links of each kind.
      for (const href of [
        "/docs",
        "/openapi.json",
        "/app",
        "/app/status",
        "/docs/guides/contract#errors",
        "/docs/guides/webhooks#a-new-secret"
      ])
        assert.isTrue(checked.has(`${origin}${href}`), href)
    })
  )

  it.effect.each(paths)("%s is a safe page with the addresses of this service", (path) =>
    Effect.gen(function* () {
      const page = yield* open(path)
      assert.strictEqual(page.status, 200)
      assertSafe({ ...page, headers: { ...page.headers, "cache-control": "no-store" }, url: path }, origin)
      assert.notInclude(page.text, "localhost:8080")
      assert.isBelow(Buffer.byteLength(page.text), 100_000)
      const ids = idsOf(page.text)
      assert.strictEqual(new Set(ids).size, ids.length)
      assert.lengthOf([...page.text.matchAll(/<h1\b/g)], 1)
    })
  )

  it.effect("have the titles of their pages, and no section for operators", () =>
    Effect.gen(function* () {
      const list = (yield* open("/docs/guides")).text
      for (const { name, title } of guides) {
        const { text } = yield* open(`/docs/guides/${name}`)
        const heading = unescaped(title.write(english))
        assert.strictEqual(/^# (.*)$/m.exec(readFileSync(new URL(`${name}.md`, docs), "utf8"))?.[1], heading)
        assert.include(unescaped(text), `<title>${heading} ·`)
        assert.include(list, `href="${origin}/docs/guides/${name}"`)
        for (const operators of ["For operators", "npx -c", "DATA_DIR", "ABUSEIPDB_API_KEY"])
          assert.notInclude(text, operators, name)
      }
    })
  )

  it.effect("are the only pages of docs/ that are served", () =>
    Effect.gen(function* () {
      const served = new Set<string>(guides.map(({ name }) => `${name}.md`))
      const others = readdirSync(docs).filter((file) => file.endsWith(".md") && !served.has(file))
      assert.include(others, "configuration.md")
      for (const name of [...others.map((file) => file.replace(".md", "")), "api.md", "..%2Fapi", "%00", "api%2F"]) {
        const { headers, status, text } = yield* open(`/docs/guides/${name}`)
        assert.deepStrictEqual([status, headers["content-type"]], [404, "text/html; charset=utf-8"], name)
        assert.include(text, "Page not found")
      }
    })
  )

  it.effect("are compressed, cacheable in each language, and revalidated by their entity tag", () =>
    Effect.gen(function* () {
      for (const path of paths) {
        const { headers, status } = yield* open(path, { "accept-encoding": "gzip, br" })
        assert.deepStrictEqual(
          [status, headers["content-encoding"], headers["cache-control"], headers["vary"]],
          [200, "gzip", "public, max-age=300", "Accept-Encoding, Accept-Language, Cookie"]
        )
        const { etag = "" } = headers
        const again = yield* open(path, { "if-none-match": etag })
        assert.deepStrictEqual([again.status, again.text, again.headers["etag"]], [304, "null", etag])
        for (const german of [{ "accept-language": "de" }, { cookie: "__Host-language=de" }]) {
          const other = yield* open(path, { ...german, "if-none-match": etag })
          assert.deepStrictEqual([other.status, other.headers["content-language"]], [200, "de"])
          assert.include(other.text, '<html lang="de">')
          assert.include(other.text, "Anleitungen")
        }
        const identity = yield* open(path, { "accept-encoding": "identity" })
        assert.notProperty(identity.headers, "content-encoding")
      }
    })
  )

  it.effect("say nothing of a request, and take no other method", () =>
    Effect.gen(function* () {
      const path = "/docs/guides/agents"
      const first = yield* open(`${path}?q=typed%22%3E`)
      assert.notInclude(first.text, "typed")
      assert.strictEqual((yield* open(path)).text, first.text)
      assert.strictEqual((yield* request("POST", path)).status, 405)
      const head = yield* request("HEAD", path)
      assert.deepStrictEqual([head.status, head.body], [200, null])
    })
  )

  it.effect("come back in the language that a person chooses there", () =>
    Effect.gen(function* () {
      const { text } = yield* open("/docs/guides/api")
      const [, href = ""] = /href="https:\/\/proxies\.test(\/app\/language\/de[^"]*)"/.exec(text) ?? []
      const { headers, text: german } = yield* open(unescaped(href))
      assert.strictEqual(headers["content-language"], "en")
      assert.include(german, '<h1 id="conventions-of-the-api">')
    })
  )
})

const addresses = {
  issuer: "https://id.test",
  mcp_url: "https://mcp.test/mcp",
  base_url: "https://api.test/v1",
  docs_url: "https://api.test/docs",
  app_url: "https://app.test"
}

const written = (...lines: ReadonlyArray<string>) =>
  Effect.promise(async () => (await writeGuide(lines.join("\n"), addresses)).content.text.replace(/\s+/g, " "))

layer(Layer.empty)("The text of a guide", (it) => {
  it.effect("shows markup and dangerous links as text", () =>
    Effect.gen(function* () {
      const text = yield* written(
        "# A <b>title</b>",
        "",
        'Text <img src=x onerror=alert(1)> and [a link](javascript:alert(1)) and `<i>`, ["](https://a.test/"onclick=x)',
        "",
        "<script>alert(1)</script>",
        "",
        "| <u> |",
        "|---|",
        "| <s> |",
        "",
        "```html",
        "</pre><script>",
        "```"
      )
      assert.notMatch(text, /<(?:b|img|i|script|u|s)\b/)
      assert.notMatch(text, /href="(?!https:\/\/a\.test)|"onclick/)
      for (const shown of ["&lt;b&gt;title", "&lt;img src=x", "a link", "&lt;script&gt;alert(1)", "&lt;/pre&gt;"])
        assert.include(text, shown)
    })
  )

  it.effect("leads to other guides, and drops references to what is not served", () =>
    Effect.gen(function* () {
      const text = yield* written(
        "[one](api.md#errors), [two](#here), [three](gateway.md#ports) ([four](configuration.md)).",
        "[five](../README.md) ([six](webhooks.md)) [seven](mailto:a@b.test) [eight](contract.md)"
      )
      for (const shown of [
        '<a href="https://api.test/docs/guides/api#errors">one</a>',
        '<a href="#here">two</a>, three. five (',
        '<a href="https://api.test/docs/guides/webhooks">six</a>)',
        '<a href="mailto:a@b.test">seven</a>',
        '<a href="https://api.test/docs/guides/contract">eight</a>'
      ])
        assert.include(text, shown)
    })
  )

  it.effect("names the addresses of the service", () =>
    Effect.gen(function* () {
      const text = yield* written(
        "`ISSUER=http://localhost:8080` `http://localhost:8080/v1/orders` `http://localhost:8080/mcp`",
        "`http://localhost:8080/app/keys` <http://localhost:8080/docs> `http://localhost:8080/openapi.json`"
      )
      for (const shown of [
        "ISSUER=https://id.test",
        "https://api.test/v1/orders",
        "https://mcp.test/mcp<",
        "https://app.test/keys",
        'href="https://api.test/docs"',
        "https://api.test/openapi.json"
      ])
        assert.include(text, shown)
    })
  )

  it.effect("leaves out each section for operators, up to the next heading of its level", () =>
    Effect.gen(function* () {
      const text = yield* written(
        ...["# T", "## One", "one", "### For operators", "hidden", "#### Deep", "hidden", "## Two", "two"].flatMap(
          (line) => [line, ""]
        ),
        "## For operators",
        "",
        "### More",
        "",
        "hidden"
      )
      assert.notMatch(text, /hidden|operators|Deep|More/)
      assert.include(text, '<h2 id="two">Two</h2>')
    })
  )

  it.effect("gives equal headings different anchors, as GitHub does", () =>
    Effect.gen(function* () {
      const text = yield* written("## `GET` a/b, c", "", "## Same", "", "### Same")
      for (const id of ["get-ab-c", "same", "same-1"]) assert.include(text, `id="${id}"`)
    })
  )
})

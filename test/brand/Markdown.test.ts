import { assert, describe, it } from "@effect/vitest"
import { described } from "../../src/brand/BrandFault.ts"
import * as Markdown from "../../src/brand/Markdown.ts"
import { html } from "../../src/pages/Html.ts"
import { markdownText } from "../../src/pages/MarkdownText.ts"
import { compact } from "../support/Markup.ts"

/** The text as pages write it. */
const written = (text: string) => html`${markdownText(Markdown.parse("x.md", text).blocks)}`.text

const faultsOf = (text: string) => Markdown.parse("x.md", text).faults.map(described)

describe("A text of a brand", () => {
  it.each([
    ["One\nparagraph.\n\nAnother", "<p>One paragraph.</p><p>Another</p>"],
    ["# One\n## Two\n### Three\nText", "<h2>One</h2><h2>Two</h2><h3>Three</h3><p>Text</p>"],
    [
      "Not:\n- spam\n- attacks\n  on others",
      '<p>Not:</p><ul class="text"><li>spam</li><li>attacks on others</li></ul>'
    ],
    ["3. three\n4. four", '<ol class="text" start="3"><li>three</li><li>four</li></ol>'],
    ["**a** *b* `c`", "<p><strong>a</strong> <em>b</em> <code>c</code></p>"],
    ["5 * 3 * 2, a**b", "<p>5 * 3 * 2, a**b</p>"],
    ["one\\\ntwo  \nthree", "<p>one<br>two<br>three</p>"],
    [
      "[us](mailto:a@b.example), [page](https://b.example/?a=1&b=2)",
      '<p><a href="mailto:a@b.example">us</a>, <a href="https://b.example/?a=1&amp;b=2">page</a></p>'
    ]
  ])("%j is %s", (text, html) => {
    assert.strictEqual(compact(written(text)), html)
    assert.deepStrictEqual(faultsOf(text), [])
  })

  it.each([
    "<script>alert(1)</script>",
    "# <script>alert(1)</script>",
    "- <img src=x onerror=alert(1)>",
    "**<b onclick=alert(1)>**",
    "`<script>`",
    "[<script>](https://b.example)",
    `[a](https://b.example/"onclick="alert)`,
    "![<script>](https://b.example/x.png)",
    "| <script> |\n|---|",
    "> <iframe>",
    "&lt;script&gt; <!-- -->"
  ])("%j has its markup as text", (text) => {
    const html = written(text)
    const tags = [...html.matchAll(/<\/?([a-z0-9]+)([^>]*)>/g)]
    assert.isTrue(
      tags.every(([, name = ""]) => ["p", "h2", "ul", "li", "strong", "code", "a"].includes(name)),
      html
    )
    assert.isTrue(
      tags.every(([, , attributes = ""]) => /^( class="text"| href="https:[^"]*")?$/.test(attributes)),
      html
    )
    assert.strictEqual(tags.length, [...html.matchAll(/</g)].length)
  })

  it.each(["javascript:alert", "JavaScript:alert", "data:text/html,x", "/terms", "//evil.example", "terms.md"])(
    "is refused with a link to %s",
    (href) => {
      assert.deepStrictEqual(faultsOf(`Text\n\n[a](${href})`), [
        `x.md:3: ${href} is not a link that begins with https:, http: or mailto:`
      ])
    }
  )

  it("begins with a title if it is a legal text", () => {
    const { blocks, faults, title } = Markdown.parseTitled("x.md", "# Terms of service\nText\n\n[a](b)", "Terms")
    assert.deepStrictEqual([title, blocks.length], ["Terms of service", 2])
    assert.deepStrictEqual(
      faults.map(({ line }) => line),
      [4]
    )
    assert.deepStrictEqual(Markdown.parseTitled("x.md", "Text", "Terms").faults.map(described), [
      "x.md:1: Expected a title, such as # Terms"
    ])
  })
})

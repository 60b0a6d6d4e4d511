import { assert, describe, it } from "@effect/vitest"
import { pageTexts } from "../../src/brand/PageTexts.ts"
import { html, text } from "../../src/pages/Html.ts"
import { make } from "../../src/brand/Language.ts"

describe("markup", () => {
  it("escapes values that are not markup", () => {
    const bold = html`<b>${"a & b"}</b>`
    const { text } = html`<p title="${`"'><script>`}">${[bold, bold]}${7}</p>`
    assert.strictEqual(text, '<p title="&quot;&#39;&gt;&lt;script&gt;"><b>a &amp; b</b><b>a &amp; b</b>7</p>')
  })
})

describe("texts of the catalog", () => {
  const link = html`<a href="/x">${text("sign_in.register_link")}</a>`
  const page = html`<p title="${text("app.verified")}">${text("sign_in.no_account", { link })}</p>`

  it("have their values", () => {
    assert.strictEqual(page.text, '<p title="Verified">No account yet? <a href="/x">Create one</a></p>')
    const mailed = text("claim.mailed", { email: "<a@b.example>" })
    assert.include(html`${mailed}`.text, "We sent a mail to &lt;a@b.example&gt;. Open")
  })

  it("are the brand's, in which markup is text and values bring no placeholders", () => {
    const texts = {
      ...pageTexts,
      "app.verified": '"Good"',
      "sign_in.no_account": "{{link}} <b>now</b>",
      "sign_in.register_link": "Join",
      "claim.mailed": "{{email}}"
    }
    const language = make("en", texts)
    assert.strictEqual(
      page.write(language),
      '<p title="&quot;Good&quot;"><a href="/x">Join</a> &lt;b&gt;now&lt;/b&gt;</p>'
    )
    assert.strictEqual(html`${text("claim.mailed", { email: "{{email}}" })}`.write(language), "{{email}}")
  })
})

import { assert, describe, it } from "@effect/vitest"
import { pageTexts } from "../../src/brand/PageTexts.ts"
import { escaped, text } from "../../src/dashboard/Html.ts"

describe("markup", () => {
  it("escapes values that are not markup", () => {
    const bold = escaped`<b>${"a & b"}</b>`
    const { text } = escaped`<p title="${`"'><script>`}">${[bold, bold]}${7}</p>`
    assert.strictEqual(text, '<p title="&quot;&#39;&gt;&lt;script&gt;"><b>a &amp; b</b><b>a &amp; b</b>7</p>')
  })
})

describe("texts of the catalog", () => {
  const link = escaped`<a href="/x">${text("sign_in.register_link")}</a>`
  const page = escaped`<p title="${text("app.verified")}">${text("sign_in.no_account", { link })}</p>`

  it("have their values", () => {
    assert.strictEqual(page.text, '<p title="Verified">No account yet? <a href="/x">Create one</a></p>')
    const mailed = text("claim.mailed", { email: "<a@b.example>" })
    assert.include(escaped`${mailed}`.text, "We sent a mail to &lt;a@b.example&gt;. Open")
  })

  it("are the brand's, in which markup is text and values bring no placeholders", () => {
    const texts = {
      ...pageTexts,
      "app.verified": '"Good"',
      "sign_in.no_account": "{{link}} <b>now</b>",
      "sign_in.register_link": "Join",
      "claim.mailed": "{{email}}"
    }
    assert.strictEqual(
      page.write(texts),
      '<p title="&quot;Good&quot;"><a href="/x">Join</a> &lt;b&gt;now&lt;/b&gt;</p>'
    )
    assert.strictEqual(escaped`${text("claim.mailed", { email: "{{email}}" })}`.write(texts), "{{email}}")
  })
})

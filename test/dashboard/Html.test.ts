import { assert, describe, it } from "@effect/vitest"
import { escaped } from "../../src/dashboard/Html.ts"

describe("markup", () => {
  it("escapes values that are not markup", () => {
    const bold = escaped`<b>${"a & b"}</b>`
    const { text } = escaped`<p title="${`"'><script>`}">${[bold, bold]}${7}</p>`
    assert.strictEqual(text, '<p title="&quot;&#39;&gt;&lt;script&gt;"><b>a &amp; b</b><b>a &amp; b</b>7</p>')
  })
})

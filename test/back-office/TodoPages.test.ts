import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { http } from "../dashboard/PagesTesting.ts"
import { plants } from "../staff/todo/TodoTesting.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { admin, signedIn } from "./BackOfficeTesting.ts"

layer(TestApp.layer())("The pages of the to-do list", (it) => {
  it.effect("show what waits, by kind, and let a person settle what has no end of its own", () =>
    Effect.gen(function* () {
      const { planted } = yield* plants
      const { browser, page } = yield* signedIn("support@example.com", "support")
      assert.include(page.text, 'href="/admin/todo"')
      const list = yield* browser.open(`${admin}/todo`)
      assertSafe(list, http)
      for (const part of ["Proxy without an owner", "iproyal has 1.50 USD", "example.com: failing"])
        assert.include(list.text, part)
      assert.lengthOf([...list.text.matchAll(/<li class="card stack">/g)], planted.length)
      const one = yield* browser.open(`${admin}/todo?kind=mail`)
      assert.lengthOf([...one.text.matchAll(/<li class="card stack">/g)], 1)

      const orphan = planted.find(({ kind }) => kind === "orphan")
      const form = yield* browser.open(`${admin}/todo/orphan/${orphan?.id}`)
      assertSafe(form, http)
      const short = yield* browser.submit({ reason: "ok" })
      assert.strictEqual(short.status, 422)
      assert.include(short.text, "Say what you did, in 3 to 500 characters")
      const settled = yield* browser.submit({ reason: "Cancelled at the vendor" })
      assert.include(settled.text, "The item is settled.")
      assert.notInclude(settled.text, "Proxy without an owner")
      assert.strictEqual((yield* browser.open(`${admin}/todo/orphan/${orphan?.id}`)).status, 404)
      assert.strictEqual((yield* browser.open(`${admin}/todo/dragon/1`)).status, 404)

      const viewer = yield* signedIn("viewer@example.com", "viewer")
      const seen = yield* viewer.browser.open(`${admin}/todo`)
      assert.notInclude(seen.text, "Mark as done")
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bodyLimit } from "../../src/platform/requests/BodyLimit.ts"
import { withoutFollowing } from "../oauth/attacks/AttackTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { worstPageForms } from "../support/WorstForms.ts"
import type { WorstRequest } from "../support/WorstRequests.ts"
import { household } from "./FormTesting.ts"

/** The most bytes of a page. */
const largestPage = 100_000

/** Keeps the forms that the service treats differently; the benchmark sends the whole list. */
const isSent = ({ name }: WorstRequest) => /: "(a|<|192\.0\.2\.1,)\.\.\."|nested lists|again|many/.test(name)

layer(TestApp.layerSandbox, { timeout: "5 minutes" })("The forms of the dashboard", (it) => {
  it.effect("get a page of usual length, even at their worst", () =>
    Effect.gen(function* () {
      const person = yield* household
      let [sent, decoded] = [0, 0]
      for (const one of worstPageForms({ ...person, cookies: person.browser.cookies }, Number(bodyLimit))) {
        if (!isSent(one)) continue
        sent += 1
        const { body, headers, name, url } = one
        const answer = yield* request("POST", url, { headers, body })
        // The sandbox keeps no cards.
        assert.isBelow(answer.status, /^\/app\/wallet\/(auto-)?top-up/.test(name) ? 504 : 500, name)
        assert.notStrictEqual(answer.status, 413, name)
        if (answer.status === 422) decoded += 1
        assert.isAtMost(Buffer.byteLength(String(answer.body)), largestPage, name)
      }
      assert.isAbove(sent, 300)
      assert.isAbove(decoded, 100)
    }).pipe(withoutFollowing)
  )
})

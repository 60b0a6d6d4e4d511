import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "../support/Browser.ts"
import { signedIn } from "./DeskTesting.ts"

export const url = "https://hooks.example.com/proxies"

export const secretIn = ({ text }: Page) => /<code id="secret">(whsec_[0-9a-f]{64})<\/code>/.exec(text)?.[1]
const idIn = ({ text, url }: Page) => /webhooks\/([0-9a-f-]{36})/.exec(`${url} ${text}`)?.[1] ?? ""

export const endpointsOf = (user_id: string) =>
  SqlClient.SqlClient.use(
    (sql) =>
      sql<{
        id: string
        user_id: string
        url: string
        enabled: boolean
        signing_secret: string
        previous_secret: string | null
      }>`
        SELECT id, user_id, url, enabled, signing_secret, previous_secret FROM webhook_endpoint WHERE user_id = ${user_id}
      `
  )

/** A person with one endpoint, at its page. */
export const withEndpoint = Effect.fnUntraced(function* (at = url) {
  const person = yield* signedIn
  yield* person.visit("webhooks")
  const id = idIn(yield* person.submit({ url: at, enabled: "on" }))
  yield* person.visit(`webhooks/${id}`)
  return { ...person, id, path: `webhooks/${id}`, endpoint: { id, user_id: person.user_id } }
})

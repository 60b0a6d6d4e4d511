import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpMethod } from "effect/http"
import type { Scope } from "../../src/accounts/Scope.ts"
import { request } from "../support/TestServer.ts"

const password = "correct horse battery staple"
let registered = 0

/** Somebody with a session of their own. */
export const newPerson = Effect.gen(function* () {
  const email = `person${++registered}@example.com`
  const { body } = yield* request("POST", "/v1/auth/register", { body: { email, password } })
  return { id: body.user.id, session: body.access_token as string }
})

/** A key of this session's person, with these scopes or unrestricted. */
export const newKey = (user: string, scopes: ReadonlyArray<Scope> | null = null) =>
  Effect.map(request("POST", "/v1/api-keys", { user, body: { name: "key", scopes } }), ({ body }) => body.key as string)

/** Where every value of a JSON document is: `orders[].id`, `tags`, `total`; sorted, each once. */
export const fieldsOf = (value: unknown, at = ""): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return [at]
  if (!Array.isArray(value))
    return unique(Object.entries(value).flatMap(([key, child]) => fieldsOf(child, at === "" ? key : `${at}.${key}`)))
  return typeof value[0] === "object" ? unique(value.flatMap((item) => fieldsOf(item, `${at}[]`))) : [at]
}

const unique = (fields: ReadonlyArray<string>) => [...new Set(fields)].toSorted()

/** An operation as the OpenAPI document tells it. */
export interface Operation {
  readonly name: string
  readonly method: HttpMethod.HttpMethod
  readonly path: string
  /** The names in its path. */
  readonly params: ReadonlyArray<string>
  /** The schemes of its credentials: either of them will do. */
  readonly security: ReadonlyArray<string>
  /** The document's own example of a body. */
  readonly body: unknown
  readonly statuses: ReadonlyArray<string>
}

/** Every operation of the running service's own OpenAPI document. */
export const operations = Effect.map(request("GET", "/openapi.json"), ({ body }): ReadonlyArray<Operation> =>
  Object.entries<any>(body.paths)
    .filter(([path]) => path.startsWith("/v1/"))
    .flatMap(([path, item]) =>
      Object.entries<any>(item).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase() as HttpMethod.HttpMethod,
        path,
        params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""),
        security: operation.security.flatMap((scheme: object) => Object.keys(scheme)).toSorted(),
        body: operation.requestBody?.content["application/json"].example,
        statuses: Object.keys(operation.responses)
      }))
    )
)

const errorBodies = [
  ["code", "detail"],
  ["code", "detail", "details"]
]

/** Calls an operation with these values in its path; the answer must be one that the document promises. */
export const call = Effect.fnUntraced(function* (
  { body, method, name, path, statuses }: Operation,
  options: Parameters<typeof request>[2] = {},
  values: Readonly<Record<string, string>> = {}
) {
  const filled = path.replace(/\{(\w+)\}/g, (_, param: string) => values[param] ?? "none")
  const answer = yield* request(method, filled, body === undefined ? options : { body, ...options })
  assert.include(statuses, String(answer.status), `${name}: ${JSON.stringify(answer.body)}`)
  if (answer.status >= 400) assert.deepInclude(errorBodies, Object.keys(answer.body).toSorted(), name)
  return answer
})

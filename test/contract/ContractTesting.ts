import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpMethod } from "effect/http"
import type { Scope } from "../../src/accounts/Scope.ts"
import { request } from "../support/TestServer.ts"

const password = "correct horse battery staple"
let registered = 0

/** A new account with its session. */
export const newPerson = Effect.gen(function* () {
  const email = `person${++registered}@example.com`
  const { body } = yield* request("POST", "/v1/auth/register", { body: { email, password } })
  return { id: body.user.id, session: body.access_token as string }
})

/** A key of this session's person, with these scopes or unrestricted. */
export const newKey = (user: string, scopes: ReadonlyArray<Scope> | null = null) =>
  Effect.map(request("POST", "/v1/api-keys", { user, body: { name: "key", scopes } }), ({ body }) => body.key as string)

/** The paths of all values in a JSON document, such as `orders[].id`, `tags`, `total`; sorted and unique. */
export const fieldsOf = (value: unknown, at = ""): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return [at]
  if (!Array.isArray(value))
    return unique(Object.entries(value).flatMap(([key, child]) => fieldsOf(child, at === "" ? key : `${at}.${key}`)))
  return typeof value[0] === "object" ? unique(value.flatMap((item) => fieldsOf(item, `${at}[]`))) : [at]
}

const unique = (fields: ReadonlyArray<string>) => [...new Set(fields)].toSorted()

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly name: string
  readonly method: HttpMethod.HttpMethod
  readonly path: string
  /** The names of the path parameters. */
  readonly params: ReadonlyArray<string>
  /** The credential schemes; any one of them is enough. */
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

/** Calls an operation with these path parameters; the answer must fit the document. */
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

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpMethod } from "effect/http"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { newAccount } from "../dashboard/PagesTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

interface Example {
  readonly name: string
  readonly method: HttpMethod.HttpMethod
  /** The example body of the operation, with its names. */
  readonly path: string
  /** The path with the examples of its parameters. */
  readonly url: string
  readonly body: unknown
  readonly headers: Record<string, string>
}

const given = ({ example, schema }: any): unknown =>
  example ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0]

/** The parameters of one place, each with its example. */
const valuesIn = (place: string, parameters: ReadonlyArray<any>) =>
  parameters
    .filter((parameter) => parameter.in === place)
    .map((parameter) => [parameter.name, String(given(parameter))] as const)

/**
 * The requests of an operation: one with the required parts, and one with each optional parameter that has an example.
 * None if the document leaves a value to the reader.
 */
const examplesOf = (method: string, path: string, { parameters = [], requestBody }: any): ReadonlyArray<Example> => {
  const shown = parameters.filter((parameter: any) => parameter.required || given(parameter) !== undefined)
  const required = shown.filter((parameter: any) => parameter.required)
  const optional = shown.filter((parameter: any) => !parameter.required)
  if (required.some((parameter: any) => given(parameter) === undefined)) return []
  return [[], ...optional.map((parameter: any) => [parameter])].map((more) => {
    const sent = [...required, ...more]
    const filled = valuesIn("path", sent).reduce((path, [name, value]) => path.replace(`{${name}}`, value), path)
    const query = new URLSearchParams(Object.fromEntries(valuesIn("query", sent)))
    return {
      name: [method.toUpperCase(), path, ...more.map(({ name }: any) => name)].join(" "),
      method: method.toUpperCase() as HttpMethod.HttpMethod,
      path,
      url: query.size === 0 ? filled : `${filled}?${query}`,
      body: requestBody?.content["application/json"].example,
      headers: Object.fromEntries(valuesIn("header", sent))
    }
  })
}

/** Every example of the document; the one that ends the account comes last. */
const examples = Effect.map(request("GET", "/openapi.json"), ({ body }) =>
  Object.entries<any>(body.paths)
    .flatMap(([path, item]) =>
      Object.entries<any>(item).flatMap(([method, operation]) => examplesOf(method, path, operation))
    )
    .toSorted((one, other) => Number(ends(one)) - Number(ends(other)))
)

const ends = ({ name }: Example) => name === "DELETE /v1/users/me"

/** Statuses of operations that cannot succeed on a fresh service. Unknown ids are always 404 and are not listed. */
const otherwise: Record<string, number> = {
  // Tokens come by mail or from an earlier answer, and signatures from payment gateways.
  "POST /v1/auth/refresh": 401,
  "POST /v1/auth/password/reset": 400,
  "POST /v1/auth/email/verify": 400,
  "POST /v1/payments/callbacks/{payment_method}": 401,
  // No invoice has the number of the example yet.
  "GET /v1/wallet/invoices/{number}": 404,
  // The sandbox keeps no cards.
  "GET /v1/wallet/auto-top-up": 404,
  "PUT /v1/wallet/auto-top-up": 503,
  "POST /v1/wallet/cards": 503,
  // The email of the account is not verified, so it has no second factor.
  "POST /v1/users/me/second-factor": 403,
  "POST /v1/users/me/second-factor/confirm": 403,
  "POST /v1/users/me/second-factor/recovery-codes": 409,
  "DELETE /v1/users/me/second-factor": 409
}

const expected = ({ name, path }: Example) => otherwise[name] ?? (path.includes("_id}") ? 404 : "2xx")

layer(TestApp.layerSandbox, { excludeTestServices: true })("A fresh service", (it) => {
  it.effect("accepts every example of the document in order, with the account of the first example", () =>
    Effect.gen(function* () {
      yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
      const all = yield* examples
      let user = ""
      const outcomes: Record<string, number | string> = {}
      for (const example of all) {
        const { body, headers, method, name, url } = example
        const sent = { headers, ...(user !== "" && { user }), ...(body !== undefined && { body }) }
        const answer = yield* request(method, url, sent)
        outcomes[name] = answer.status < 300 ? "2xx" : answer.status
        assert.notStrictEqual(answer.status, 422, `${name}: ${JSON.stringify(answer.body)}`)
        user = answer.body?.access_token ?? user
        if (name === "POST /v1/payments/deposits")
          yield* request("POST", new URL(answer.body.payment_url).pathname, {
            headers: { "content-type": "application/x-www-form-urlencoded" },
            body: "outcome=paid"
          })
        if (name.startsWith("POST /v1/auth/logout")) {
          const signIn = all.find((one) => one.name === "POST /v1/auth/login")
          user = (yield* request("POST", "/v1/auth/login", { body: signIn?.body })).body.access_token
        }
      }
      assert.deepStrictEqual(outcomes, Object.fromEntries(all.map((example) => [example.name, expected(example)])))
    })
  )

  it.effect(
    "gets an example request for everything except promo codes, which operators add, and download links, which are secret",
    () =>
      Effect.gen(function* () {
        const { paths } = (yield* request("GET", "/openapi.json")).body
        const shown = (yield* examples).map(({ path }) => path)
        assert.deepStrictEqual(
          Object.keys(paths).filter((path) => !shown.includes(path)),
          ["/v1/downloads/{token}", "/v1/promo-codes/preview"]
        )
      })
  )

  it.effect("refuses as the documented refusals do", () =>
    Effect.gen(function* () {
      yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
      const { paths } = (yield* request("GET", "/openapi.json")).body
      const { token: user } = yield* newAccount
      const body = paths["/v1/orders"].post.requestBody.content["application/json"].example
      const placed = { ...body, payment_method: "card_gateway" }
      const order = yield* request("POST", "/v1/orders", { user, body: placed })
      for (const [path, fields, status] of [
        ["/v1/orders", { ...body, quantity: 0 }, 422],
        ["/v1/orders", { ...body, country: "DE" }, 400],
        ["/v1/orders/{order_id}/reset", {}, 400]
      ] as const) {
        const url = path.replace("{order_id}", order.body[0]?.id)
        const answer = yield* request("POST", url, { user, body: fields })
        const { example } = paths[path].post.responses[status].content["application/json"]
        assert.deepStrictEqual([answer.status, answer.body], [status, example], path)
      }
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"

const operations = (document: any): ReadonlyArray<readonly [string, any]> =>
  Object.entries<any>(document.paths).flatMap(([path, item]) =>
    Object.entries<any>(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const)
  )

/** Every node of a document with its path. */
const nodes = (value: any, at = ""): ReadonlyArray<readonly [string, any]> =>
  value === null || typeof value !== "object"
    ? []
    : [[at, value], ...Object.entries(value).flatMap(([key, child]) => nodes(child, `${at}/${key}`))]

layer(MockedApp.layer())("The OpenAPI document", (it) => {
  const document = Effect.map(request("GET", "/openapi.json"), ({ body }) => body)

  it.effect("is OpenAPI 3.1 of version 1.0.0", () =>
    Effect.gen(function* () {
      const { info, openapi } = yield* document
      assert.deepStrictEqual([openapi, info.version], ["3.1.0", "1.0.0"])
    })
  )

  it.effect("describes every operation, its errors and their bodies", () =>
    Effect.gen(function* () {
      for (const [name, operation] of operations(yield* document)) {
        assert.isAbove(operation.summary?.length ?? 0, 3, `${name}: summary`)
        assert.isAbove(operation.description?.length ?? 0, 20, `${name}: description`)
        for (const [status, response] of Object.entries<any>(operation.responses)) {
          if (Number(status) < 400) continue
          assert.isDefined(response.content?.["application/json"]?.schema, `${name}: body of ${status}`)
        }
        assert.isDefined(operation.responses["429"], `${name}: 429`)
        if (operation.security.length > 0) assert.isDefined(operation.responses["401"], `${name}: 401`)
        const isDecoded = "requestBody" in operation && !name.includes("/payments/callbacks/")
        assert.strictEqual("415" in operation.responses, isDecoded, `${name}: 415`)
        const takes = "requestBody" in operation || (operation.parameters ?? []).length > 0
        assert.strictEqual("422" in operation.responses, takes, `${name}: 422`)
      }
    })
  )

  it.effect("has a full example of every request and answer body", () =>
    Effect.gen(function* () {
      const whole = yield* document
      for (const [name, operation] of operations(whole)) {
        const bodies = [operation.requestBody, ...Object.values<any>(operation.responses)]
        for (const media of bodies.flatMap((body) => body?.content?.["application/json"] ?? [])) {
          assert.isDefined(media.example, name)
          assert.notInclude(JSON.stringify(media.example), "null,null", name)
        }
      }
      const order = whole.paths["/v1/orders"].post
      assert.strictEqual(order.requestBody.content["application/json"].example.payment_method, "wallet")
      assert.strictEqual(order.responses["201"].content["application/json"].example[0].proxy_access[0].port, 20000)
      assert.isTrue(order.requestBody.required)
      assert.isFalse(whole.paths["/v1/webhooks/{endpoint_id}/rotate-secret"].post.requestBody.required)
      assert.strictEqual(order.responses["409"].content["application/json"].example.code, "CONFLICT")
    })
  )

  it.effect("describes each parameter and field in one schema of the right type", () =>
    Effect.gen(function* () {
      const whole = yield* document
      for (const [at, node] of nodes(whole)) {
        assert.notProperty(node, "allOf", at)
        if ("minimum" in node) assert.include(["integer", "number"], node.type, at)
        if ("minLength" in node || "pattern" in node) assert.strictEqual(node.type, "string", at)
      }
      const named: Record<string, ReadonlyArray<any>> = {}
      for (const [, operation] of operations(whole))
        for (const { name, schema } of operation.parameters ?? []) named[name] = [...(named[name] ?? []), schema]
      for (const name of ["limit", "offset", "quantity", "offer_id", "period_days", "tarification_index"])
        for (const schema of named[name] ?? [undefined]) assert.strictEqual(schema?.type, "integer", name)
      for (const name of ["is_available", "unread"]) assert.strictEqual(named[name]?.[0].type, "boolean", name)
      for (const name of ["is_available", "unread", "region", "city", "offer_id", "period_days", "tarification_index"])
        assert.isNotEmpty(named[name]?.[0].description, name)
    })
  )

  it.effect("describes the accepted idempotency keys at every operation that has one", () =>
    Effect.gen(function* () {
      const said = operations(yield* document).flatMap(([name, { parameters = [] }]) =>
        parameters
          .filter((parameter: any) => parameter.name.toLowerCase() === "idempotency-key")
          .map(({ description, schema }: any) => {
            const told = description ?? schema.description
            return [name, /1 to 255 characters/.test(told) ? "1 to 255" : /UUID/.test(told) ? "UUID" : told]
          })
      )
      assert.deepStrictEqual(Object.fromEntries(said), {
        "POST /v1/orders": "1 to 255",
        "POST /v1/orders/{order_id}/extend": "1 to 255",
        "POST /v1/orders/{order_id}/bandwidth": "1 to 255",
        "POST /v1/orders/{order_id}/replace": "1 to 255",
        "POST /v1/ip-check": "UUID"
      })
    })
  )

  it.effect("describes the events that webhook receivers get, and the effect of their answers", () =>
    Effect.gen(function* () {
      const { webhooks } = yield* document
      assert.deepStrictEqual(Object.keys(webhooks), ["proxy.status_changed"])
      const { description, parameters, requestBody, responses, summary } = webhooks["proxy.status_changed"].post
      assert.deepStrictEqual(
        parameters.map(({ in: place, name, required }: any) => [place, name, required]),
        ["Content-Type", "User-Agent", "X-Service-Event", "X-Service-Delivery-Id", "X-Service-Timestamp"]
          .concat("X-Service-Signature", "X-Service-Signature-Alternate")
          .map((name) => ["header", name, name !== "X-Service-Signature-Alternate"])
      )
      const { example, schema } = requestBody.content["application/json"]
      assert.strictEqual(schema.$ref, "#/components/schemas/WebhookPayload")
      assert.deepStrictEqual(Object.keys(example), ["id", "type", "version", "occurred_at", "data", "meta"])
      assert.deepStrictEqual(Object.keys(responses), ["2XX", "3XX", "4XX", "5XX"])
      for (const text of [summary, description, ...Object.values<any>(responses).map((answer) => answer.description)])
        assert.isNotEmpty(text)
    })
  )

  it.effect("refers only to existing parts, and promises only what the service does", () =>
    Effect.gen(function* () {
      const whole = yield* document
      for (const [at, node] of nodes(whole)) {
        assert.notStrictEqual(node.additionalProperties, false, at)
        if (typeof node.$ref === "string")
          assert.isDefined(
            whole.components.schemas[node.$ref.replace("#/components/schemas/", "")],
            `${at}: ${node.$ref}`
          )
      }
      const said = JSON.stringify(whole.paths)
      assert.include(said, `"required_scope":"orders:read"`)
      assert.notInclude(said, `"required_scope":"catalog:read"`, "offers need no scope")
      const unavailable = whole.paths["/v1/payments/deposits"].post.responses["503"].content["application/json"].example
      assert.notProperty(unavailable, "details", "a deposit is not paid from the wallet")
      for (const name of Object.keys(whole.components.schemas)) assert.notMatch(name, /Encoded|_\d/)
    })
  )
})

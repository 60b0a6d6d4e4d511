import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Rpc } from "effect/rpc"
import { bodyLimit } from "../../src/platform/requests/BodyLimit.ts"
import { mostFaults } from "../../src/platform/errors/Faults.ts"
import { all } from "../../src/rpc/Tools.ts"
import { newKey, open, session } from "../mcp/McpTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { placesOf } from "../support/WorstBodies.ts"
import { resolveIn, type WorstRequest, worstRequests } from "../support/WorstRequests.ts"

const size = Number(bodyLimit)
const largestAnswer = 64 * 1024

/** Keeps the requests that the service treats differently; the benchmark sends the whole list. */
const isSent = ({ name }: WorstRequest) =>
  name.startsWith("GET ") ||
  /: \[(1|"::"),/.test(name) ||
  (!/^\/(rpc|mcp) \w+ \w+: "/.test(name) && /"a\.\.\."|many|nested objects|a list|again|lines|ends/.test(name))

const wrong = (length: number) => Array.from({ length }, () => "x".repeat(400))

type Node = { readonly [key: string]: any }

const somebody = Effect.gen(function* () {
  const { account, credential } = yield* newKey()
  const { ask } = yield* session(credential)
  const { result } = yield* ask("tools/list")
  const { "mcp-session-id": toolSession } = yield* open(credential)
  const { body: document } = yield* request("GET", "/openapi.json")
  return { document, tools: result.tools, key: credential["x-api-key"], session: account.token, toolSession }
})

/** Every schema of the service's input, with the name of the operation or the tool. */
const taken = (document: Node) => [
  ...Object.entries<Node>(document["paths"]).flatMap(([path, item]) =>
    Object.entries<Node>(item).flatMap(([method, { parameters = [], requestBody }]) =>
      [requestBody?.content["application/json"].schema, ...parameters.map(({ schema }: Node) => schema)]
        .filter((schema) => schema !== undefined)
        .map((schema): readonly [string, Node] => [`${method} ${path}`, schema])
    )
  ),
  ...[...(all.requests as ReadonlyMap<string, Rpc.AnyWithProps>).values()].map(({ _tag, payloadSchema }) => {
    const { schema } = Schema.toJsonSchemaDocument(payloadSchema, { referencePolicy: () => undefined })
    return [_tag, schema] as const
  })
]

layer(TestApp.layer())("The body of a request", (it) => {
  it.effect("has a bound at every list and at every object of free keys", () =>
    Effect.gen(function* () {
      const { body: document } = yield* request("GET", "/openapi.json")
      const resolve = resolveIn(document)
      const places = taken(document).flatMap(([name, schema]) =>
        [["", resolve(schema)] as const, ...placesOf(schema, resolve)].map(([path, node]) => ({ name, path, node }))
      )
      const lists = places.filter(({ node }) => node["type"] === "array")
      // Calls of payment gateways have formats of their own, of at most 64 KiB; the service reads only some of their
      // fields.
      const free = places.filter(
        ({ name, node }) => !name.includes("callbacks") && node["type"] === "object" && node["properties"] === undefined
      )
      assert.isAbove(lists.length, 8)
      assert.isAbove(free.length, 2)
      for (const { name, node, path } of lists) assert.isNumber(node["maxItems"], `${name} ${path}`)
      for (const { name, node, path } of free) assert.isNumber(node["maxProperties"], `${name} ${path}`)
    })
  )

  it.effect("is checked for the length of a list first; elements of a list that is too long are not checked", () =>
    Effect.gen(function* () {
      const { document, session: user } = yield* somebody
      const resolve = resolveIn(document)
      let judged = 0
      for (const [path, item] of Object.entries<Node>(document["paths"]))
        for (const [method, { requestBody }] of Object.entries<Node>(item)) {
          const media = requestBody?.content["application/json"]
          for (const [[field], { maxItems }] of placesOf(media?.schema ?? {}, resolve).filter(
            ([, node]) => node["type"] === "array"
          )) {
            const { body } = yield* request(
              method.toUpperCase() as "POST",
              path.replace(/\{\w+\}/, crypto.randomUUID()),
              {
                user,
                body: { ...media.example, [field ?? ""]: Array.from({ length: maxItems + 1 }, () => null) }
              }
            )
            const [fault, ...others] = body.detail.filter(({ loc }: Node) => loc[1] === field)
            assert.deepStrictEqual([fault.loc, others], [["body", field], []], `${method} ${path} ${field}`)
            assert.include(fault.msg, `${maxItems} elements`)
            judged += 1
          }
        }
      assert.isAbove(judged, 5)
    })
  )

  it.effect("has at most a hundred listed faults, and no fault repeats the input", () =>
    Effect.gen(function* () {
      const { session: user } = yield* somebody
      const { body, status } = yield* request("POST", "/v1/api-keys", {
        user,
        body: { name: "", scopes: wrong(20), allowed_ips: wrong(100) }
      })
      assert.deepStrictEqual([status, body.detail.length], [422, mostFaults])
      assert.notInclude(JSON.stringify(body), "xxx")
    })
  )

  it.effect("gets a short answer from every operation and every tool, even at its worst", () =>
    Effect.gen(function* () {
      let sent = 0
      for (const one of worstRequests(yield* somebody, size)) {
        if (!isSent(one)) continue
        sent += 1
        const { body, headers, method, name, url } = one
        const answer = yield* request(method as "POST", url, { headers, ...(body !== undefined && { body }) })
        assert.isBelow(answer.status, 500, name)
        assert.notStrictEqual(answer.status, 413, name)
        assert.isAtMost(JSON.stringify(answer.body).length, largestAnswer, name)
        if (Array.isArray(answer.body?.detail)) assert.isAtMost(answer.body.detail.length, mostFaults, name)
      }
      assert.isAbove(sent, 300)
    })
  )
})

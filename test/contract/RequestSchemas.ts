import { Result, Schema } from "effect"
import { type HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Rpc } from "effect/rpc"
import { Api } from "../../src/Api.ts"
import { faultsAt } from "../../src/platform/errors/Faults.ts"
import { all } from "../../src/rpc/Tools.ts"

type Node = { readonly [key: string]: any }

/** A part of a request: the schema that reads it, and the published schema. */
export interface Input {
  readonly name: string
  readonly schema: Schema.ConstraintDecoder<unknown>
  readonly shown: Node
  /** An accepted value. */
  readonly example: any
}

const document = OpenApi.fromApi(Api) as Node

const endpoints = Object.values<Node>(Api.groups)
  .flatMap((group) => Object.values<HttpApiEndpoint.Top>(group["endpoints"]))
  .map((endpoint) => {
    const path = endpoint.path.replace(/:(\w+)/g, "{$1}").replace(/(?<=.)\/$/, "")
    return { endpoint, operation: document["paths"][path][endpoint.method.toLowerCase()] as Node }
  })

/** The bodies of the REST API. */
const bodies = endpoints.flatMap(({ endpoint, operation }): ReadonlyArray<Input> => {
  const schema = endpoint.payload.get("application/json")?.schemas[0]
  if (schema === undefined) return []
  const { example, schema: shown } = operation["requestBody"].content["application/json"]
  return [{ name: operation["operationId"], schema: schema as Input["schema"], shown, example }]
})

const parametersIn = (place: string, schema: unknown, operation: Node): ReadonlyArray<Input> => {
  const parameters: ReadonlyArray<Node> = (operation["parameters"] ?? []).filter((one: Node) => one["in"] === place)
  if (schema === undefined || parameters.length === 0) return []
  const properties = Object.fromEntries(parameters.map((one) => [one["name"], one["schema"]]))
  const name = `${operation["operationId"]} ${place}`
  return [{ name, schema: schema as Input["schema"], shown: { type: "object", properties }, example: {} }]
}

const parameters = endpoints.flatMap(({ endpoint, operation }) => [
  ...parametersIn("query", endpoint.query, operation),
  ...parametersIn("header", endpoint.headers, operation)
])

/** Arguments of tools that need more than their required fields. */
const examples: Readonly<Record<string, object>> = { set_proxy_credentials: { ips: [] } }

const tools = ([...all.requests.values()] as unknown as ReadonlyArray<Rpc.AnyWithProps>).map(
  ({ _tag, payloadSchema }): Input => {
    const { schema: shown } = Schema.toJsonSchemaDocument(payloadSchema, { referencePolicy: () => undefined })
    const schema = Schema.toCodecJson(payloadSchema) as unknown as Input["schema"]
    return { name: `tool ${_tag}`, schema, shown: shown as Node, example: examples[_tag] }
  }
)

/** All JSON that a caller sends: bodies and the arguments of tools. */
export const jsonInputs = [...bodies, ...tools]

export const inputs = [...jsonInputs, ...parameters]

/** Resolves all references within a part of a document. */
export const resolved = (node: Node): Node =>
  typeof node["$ref"] === "string" ? resolved(document["components"].schemas[node["$ref"].split("/").at(-1)!]) : node

/** A value that fits a published schema, with the required fields only. */
export const sampleOf = (node: Node): any => {
  const { allOf = [], ...plain } = resolved(node)
  const schema: Node = Object.assign({}, plain, ...allOf)
  const { anyOf = [], enum: words = [], examples = [], properties = {}, required = [], type } = schema
  if (examples.length > 0) return examples[0]
  if (words.length > 0) return words[0]
  if (anyOf.length > 0) return sampleOf(anyOf[0])
  if (type === "object") return Object.fromEntries(required.map((name: string) => [name, sampleOf(properties[name])]))
  if (type === "array") return []
  if (type === "integer" || type === "number") return schema["minimum"] ?? 1
  if (type === "boolean") return false
  return schema["format"] === "uuid" ? "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11" : "x".repeat(schema["minLength"] ?? 1)
}

export const decode = ({ schema }: Input, value: unknown) =>
  Schema.decodeUnknownResult(schema, { errors: "all" })(value)

/** The faults of a value: the problem and its place. */
export const faultsOf = (input: Input, value: unknown) => {
  const result = decode(input, value)
  return Result.isSuccess(result) ? [] : faultsAt("", result.failure.issue)
}

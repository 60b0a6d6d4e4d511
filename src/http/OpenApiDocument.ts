import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import * as RequestDefect from "../platform/errors/RequestDefect.ts"
import { WebhookEventsApi } from "../webhooks/WebhookEventsApi.ts"
import { unsupportedMediaTypeText } from "./RequestValidation.ts"

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }
type Node = { readonly [key: string]: Json }

const isNode = (value: Json | undefined): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const receiver = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Json))(OpenApi.fromApi(WebhookEventsApi))

/**
 * Removes the suffix that the framework adds to the wire form of a class: `OrderNotFoundEncoded` is `OrderNotFound`.
 */
const plainName = (name: string) => name.replace(/Encoded(?=$|_)/, "")
const plainRef = (ref: string) => ref.replace(/[^/]+$/, plainName)

const isUnbounded = (bound: Json | undefined) =>
  typeof bound === "number" && Math.abs(bound) === Number.MAX_SAFE_INTEGER

/** Removes keywords from one schema that are not true on the wire. */
const tidySchema = (node: Node): Node => {
  const entries = Object.entries(node).filter(
    ([key, value]) =>
      // The service ignores unknown fields of a request, and responses may gain fields.
      !(key === "additionalProperties" && value === false) &&
      // The range of JSON's integers is not a rule of this API.
      !((key === "minimum" || key === "maximum") && isUnbounded(value))
  )
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === "$ref" && typeof value === "string" ? plainRef(value) : value])
  )
}

/** Merges the members of an `allOf` into one schema, because client generators follow only one. */
const joined = (node: Node): Node => {
  const { allOf, ...rest } = node
  if (!Array.isArray(allOf)) return node
  const parts = [rest, ...allOf.filter(isNode)]
  const keys = parts.flatMap(Object.keys)
  return new Set(keys).size === keys.length ? Object.assign({}, ...parts) : node
}

const dateTime = { format: "date-time", examples: ["2026-01-31T12:00:00.000Z"] }

/** Marks fields that end in `_at` or `_since` as ISO 8601 timestamps. */
const markTimestamps = (node: Node): Node => {
  if (!isNode(node["properties"])) return node
  const properties = Object.entries(node["properties"]).map(([name, schema]) => {
    const isText = isNode(schema) && (schema["type"] === "string" || "anyOf" in schema)
    return [name, /_(at|since)$/.test(name) && isText ? { ...dateTime, ...schema } : schema] as const
  })
  return { ...node, properties: Object.fromEntries(properties) }
}

const tidy = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(tidy)
  if (!isNode(value)) return value
  return tidySchema(markTimestamps(joined(mapValues(value, tidy))))
}

/**
 * Replaces the type of a parameter that is text on the wire: bounds mean an integer, `true` and `false` mean a boolean.
 */
const typed = (schema: Node): Node => {
  const { enum: words, examples, ...rest } = schema
  if (schema["type"] !== "string") return schema
  if ("minimum" in schema) return { ...schema, type: "integer" }
  if (!Array.isArray(words) || words.toSorted().join() !== "false,true") return schema
  return {
    ...rest,
    type: "boolean",
    ...(Array.isArray(examples) && { examples: examples.map((word) => word === "true") })
  }
}

/**
 * Adds an example to each required parameter, so that a reader can send the request unchanged. A text without an
 * example, such as a promo code, gets none, because only the reader knows it.
 */
const tidyParameter = (parameter: Json): Json => {
  if (!isNode(parameter) || !isNode(parameter["schema"])) return parameter
  const schema = typed(parameter["schema"])
  const example = parameter["required"] === true ? exampleOf(schema, {}) : anyText
  return { ...parameter, schema, ...(example !== anyText && { example }) }
}

const mapValues = (node: Json | undefined, change: (value: Json) => Json): Node =>
  isNode(node) ? Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value)])) : {}

const object = (properties: Node): Node => ({ type: "object", properties, required: Object.keys(properties) })

const error = (description: string, code: string, detail: string, details?: Record<string, string>): Node => {
  const example = { detail, code, ...(details && { details }) }
  const more = details && { details: object(mapValues(details, () => ({ type: "string" }))) }
  const schema = object({ detail: { type: "string" }, code: { type: "string", enum: [code] }, ...more })
  return { description, content: { "application/json": { schema: { ...schema, examples: [example] } } } }
}

const unsupported = error("The body is not JSON", "VALIDATION_ERROR", unsupportedMediaTypeText)
const away = error("The database is unavailable", "SERVICE_UNAVAILABLE", RequestDefect.details[503])
const ourDefect = error(
  "An error of the service; send the request id to support",
  "INTERNAL_ERROR",
  RequestDefect.details[500],
  {
    request_id: "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"
  }
)

const header = (description: string, schema: Node): Node => ({ description, required: true, schema })

/** Headers of responses, by status. */
const headers: Node = {
  401: { "www-authenticate": header("The authentication scheme (RFC 6750)", { type: "string", enum: ["Bearer"] }) },
  429: {
    "retry-after": header("Seconds to wait before the next attempt", {
      type: "string",
      pattern: "^[0-9]+$",
      examples: ["12"]
    })
  }
}

const withHeaders = (responses: Node): Node =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const more = headers[status]
      return [status, more !== undefined && isNode(response) ? { headers: more, ...response } : response]
    })
  )

/** True when a response has a reason of its own beside the reason that every operation shares. */
const hasOwnReason = (response: Json | undefined) => {
  const media = isNode(response) && isNode(response["content"]) ? response["content"]["application/json"] : undefined
  return isNode(media) && isNode(media["schema"]) && "anyOf" in media["schema"]
}

/** Leaves only the errors that an operation can answer: no 413 without a body, no 422 without any input. */
const tidyOperation = (operation: Json): Json => {
  if (!isNode(operation) || !isNode(operation["responses"])) return operation
  const { 413: tooLarge, 422: invalid, ...responses } = operation["responses"]
  const hasBody = "requestBody" in operation
  const parameters = operation["parameters"]
  const hasInput = hasBody || (Array.isArray(parameters) && parameters.length > 0)
  return {
    ...operation,
    ...(Array.isArray(parameters) ? { parameters: parameters.map(tidyParameter) } : {}),
    responses: {
      ...withHeaders(responses),
      ...(hasBody && tooLarge !== undefined ? { 413: tooLarge } : {}),
      // An operation with a body limit of its own reads the raw body, of any content type.
      ...(hasBody && !hasOwnReason(tooLarge) ? { 415: unsupported } : {}),
      ...(hasInput && invalid !== undefined ? { 422: invalid } : {}),
      500: ourDefect,
      503: responses["503"] ?? away
    }
  }
}

/** Placeholder for a text that has no example. */
const anyText = "text"

/** Builds a complete value that fits a schema from the examples of its parts. */
const exampleOf = (schema: Json | undefined, schemas: Node, depth = 0): Json => {
  if (!isNode(schema) || depth > 16) return null
  if (typeof schema["$ref"] === "string")
    return exampleOf(schemas[schema["$ref"].replace("#/components/schemas/", "")], schemas, depth + 1)
  if (Array.isArray(schema["examples"])) return schema["examples"][0] ?? null
  if (Array.isArray(schema["enum"])) return schema["enum"][0] ?? null
  const members = schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"]
  if (Array.isArray(members)) return exampleOf(members[0], schemas, depth + 1)
  if (isNode(schema["properties"]))
    return mapValues(schema["properties"], (property) => exampleOf(property, schemas, depth + 1))
  if (schema["type"] === "array") return [exampleOf(schema["items"], schemas, depth + 1)]
  if (schema["type"] === "integer" || schema["type"] === "number") return schema["minimum"] ?? 1
  if (schema["type"] === "boolean") return false
  if (schema["format"] === "uuid") return "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"
  return schema["type"] === "string" ? anyText : schema["type"] === "object" ? {} : null
}

/** Adds one complete example to every JSON schema of a request or a response. */
const withExamples = (node: Json, schemas: Node): Json => {
  if (Array.isArray(node)) return node.map((child) => withExamples(child, schemas))
  if (!isNode(node)) return node
  const media = node["application/json"]
  if (isNode(media)) return { ...node, "application/json": { ...media, example: exampleOf(media["schema"], schemas) } }
  return mapValues(node, (child) => withExamples(child, schemas))
}

const schemasOf = (components: Node): Node => {
  const known = isNode(components["schemas"]) ? Object.entries(components["schemas"]) : []
  return Object.fromEntries(known.map(([name, schema]) => [plainName(name), schema]))
}

const nameOf = (tag: Json) => (isNode(tag) ? tag["name"] : undefined)

const tidyNode = (value: Json | undefined): Node => mapValues(value, tidy)

/** Removes repeated tags, which several groups of operations share. */
const eachOnce = (tags: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  tags.filter((tag, index) => tags.findIndex((other) => nameOf(other) === nameOf(tag)) === index)

/** Finishes a document: tidies what the framework derives from the schemas, and adds the requests that receivers get. */
const finishWith =
  (requests: Node) =>
  ({ components, paths, tags, ...rest }: Record<string, Json>): Record<string, Json> => {
    const tidied = tidyNode(components)
    const schemas = { ...schemasOf(tidied), ...schemasOf(tidyNode(requests["components"])) }
    const events = Object.entries(tidyNode(requests["paths"]))
    return {
      ...rest,
      ...(Array.isArray(tags) && { tags: eachOnce(tags) }),
      servers: [{ url: "/", description: "This service" }],
      paths: mapValues(tidyNode(paths), (item) =>
        mapValues(item, (operation) => withExamples(tidyOperation(operation), schemas))
      ),
      ...(events.length > 0 && {
        webhooks: Object.fromEntries(events.map(([path, event]) => [path.slice(1), withExamples(event, schemas)]))
      }),
      components: { ...tidied, schemas }
    }
  }

/** Finishes the public document, with the requests that webhook receivers get. */
export const finish = finishWith(receiver)

/** Finishes the document of the back office. */
export const finishAdmin = finishWith({})

import { type Resolve, type Worst, worstForms, worstPlaces, worstWholes } from "./WorstBodies.ts"

type Node = { readonly [key: string]: any }

/** A request as it goes over the wire. */
export interface WorstRequest {
  readonly name: string
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

interface Service {
  readonly document: Node
  /** As `tools/list` answers them. */
  readonly tools: ReadonlyArray<Node>
  /** An unrestricted API key. */
  readonly key: string
  readonly session: string
  /** A session of the tool server. */
  readonly toolSession: string
}

/** Leaves room for the rest of the head; Node accepts 16 KiB. */
const headRoom = 14_000

const json = { "content-type": "application/json" }

/** The service looks up the host of a URL; this avoids names of the internet. */
const withoutNames = (example: unknown) =>
  typeof example === "string" ? example.replace("https://example.com", "https://localhost") : example

export const exampleOf = (given: Node, resolve: Resolve): unknown => {
  const node = resolve(given)
  if (node["enum"] ?? node["examples"]) return withoutNames((node["enum"] ?? node["examples"])[0])
  const [variant] = node["anyOf"] ?? node["allOf"] ?? []
  if (variant !== undefined) return exampleOf(variant, resolve)
  if (node["format"] === "uuid") return "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"
  if (node["type"] === "integer" || node["type"] === "number") return node["minimum"] ?? 1
  if (node["type"] === "object") return exampleOfObject(node, resolve)
  if (node["type"] === "array") return [exampleOf(node["items"] ?? {}, resolve)]
  return node["type"] === "boolean" ? false : "some text"
}

const exampleOfObject = ({ properties = {} }: Node, resolve: Resolve) =>
  Object.fromEntries(Object.entries<Node>(properties).map(([key, child]) => [key, exampleOf(child, resolve)]))

export const resolveIn =
  (document: Node): Resolve =>
  (node) =>
    typeof node["$ref"] === "string"
      ? document["components"].schemas[node["$ref"].replace("#/components/schemas/", "")]
      : node

const operationsOf = ({ paths }: Node): ReadonlyArray<Node> =>
  Object.entries<Node>(paths).flatMap(([path, item]) =>
    Object.entries<Node>(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      name: `${method.toUpperCase()} ${path}`,
      parameters: operation["parameters"] ?? []
    }))
  )

const urlOf = ({ parameters, path }: Node, resolve: Resolve): string =>
  path.replace(/\{(\w+)\}/g, (_: string, name: string) =>
    exampleOf(parameters.find((parameter: Node) => parameter["name"] === name)?.schema ?? {}, resolve)
  )

const long = ["a", "1", "%22", "::", "."].map((text) => text.repeat(headRoom / text.length))

const ofParameters = (operation: Node, headers: WorstRequest["headers"], resolve: Resolve): Array<WorstRequest> => {
  const { method, name, parameters } = operation
  const url = urlOf(operation, resolve)
  const request = { method, headers, ...("requestBody" in operation && { body: "{}" }) }
  return parameters.flatMap((parameter: Node): ReadonlyArray<WorstRequest> => {
    const at = `${name} ${parameter["in"]} ${parameter["name"]}`
    const of = (what: string) => ({ name: `${at}: ${what}`, ...request })
    if (parameter["in"] === "path")
      return long.map((text) => ({ ...of("long"), url: `${url.replace(/[^/]+$/, "")}${text}` }))
    if (parameter["in"] === "header")
      return long.map((text) => ({ ...of("long"), url, headers: { ...headers, [parameter["name"]]: text } }))
    const repeated = `${parameter["name"]}=1&`
    return [
      ...long.map((text) => ({ ...of("long"), url: `${url}?${parameter["name"]}=${text}` })),
      { ...of("again and again"), url: `${url}?${repeated.repeat(Math.floor(headRoom / repeated.length))}` },
      { ...of("a hundred times"), url: `${url}?${repeated.repeat(99)}` }
    ]
  })
}

const ofOperation = (operation: Node, session: string, resolve: Resolve, size: number): ReadonlyArray<WorstRequest> => {
  const headers = { ...json, authorization: `Bearer ${session}` }
  const { method, name, requestBody } = operation
  const media: Node | undefined = requestBody?.content["application/json"]
  const bodies: ReadonlyArray<Worst> =
    media === undefined ? [] : [...worstPlaces(media["schema"], media["example"], resolve, size), ...worstWholes(size)]
  return [
    ...ofParameters(operation, headers, resolve),
    ...bodies.map(([what, body]) => ({
      name: `${name} ${what}`,
      method,
      url: urlOf(operation, resolve),
      headers,
      body
    }))
  ]
}

const itself: Resolve = (node) => node

const rpc = (name: string, payload: string, id = 1) =>
  `{"_tag":"Request","id":"${id}","tag":"${name}","payload":${payload}}`

const call = (name: string, given: string, id = 1) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${given}}}`

const mostCalls = Array.from({ length: 50 }, (_, id) => id)

/** The bytes around the arguments of a call. */
const shell = 150

const isList = ([what]: Worst) => what.includes(": [")

const streams = { accept: "application/json, text/event-stream" }

const ofTool = (
  { inputSchema, name }: Node,
  { key, toolSession }: Service,
  size: number
): ReadonlyArray<WorstRequest> => {
  const example = exampleOf(inputSchema, itself)
  const one = worstPlaces(inputSchema, example, itself, size - shell)
  const shared = worstPlaces(inputSchema, example, itself, Math.floor(size / mostCalls.length) - shell).filter(isList)
  const headers = { ...json, ...streams, "x-api-key": key, "mcp-session-id": toolSession }
  const post = (url: string, what: string, body: string) => ({
    name: `${url} ${name} ${what}`,
    method: "POST",
    url,
    headers,
    body
  })
  return [
    ...one.filter(isList).map(([what, given]) => post("/rpc", what, rpc(name, given))),
    ...one.map(([what, given]) => post("/mcp", what, call(name, given))),
    ...shared.map(([what, given]) =>
      post("/rpc", `50 of ${what}`, mostCalls.map((id) => rpc(name, given, id)).join("\n"))
    ),
    ...shared.map(([what, given]) =>
      post("/mcp", `50 of ${what}`, `[${mostCalls.map((id) => call(name, given, id)).join()}]`)
    )
  ]
}

/** Free values, and the envelope around a call. */
const ofToolProtocols = ({ key, toolSession }: Service, size: number): ReadonlyArray<WorstRequest> => {
  const headers = { ...json, ...streams, "x-api-key": key }
  const within = { ...headers, "mcp-session-id": toolSession }
  const clientInfo = { name: "a", version: "1" }
  const params = { protocolVersion: "2025-03-26", capabilities: { experimental: "here" }, clientInfo }
  const [before, after] = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }).split(`"here"`)
  const post = (url: string, what: string, body: string, head: WorstRequest["headers"] = within) => ({
    name: `${url} ${what}`,
    method: "POST",
    url,
    headers: head,
    body
  })
  return [
    ...worstWholes(size).flatMap(([what, body]) => [post("/rpc", what, body), post("/mcp", what, body)]),
    ...worstWholes(size - 300).flatMap(([what, value]) => [
      post("/rpc", `free arguments: ${what}`, rpc("list_mobile_signatures", value)),
      post("/mcp", `free arguments: ${what}`, call("list_mobile_signatures", value)),
      post("/mcp", `parameters: ${what}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${value}}`),
      post("/mcp", `capabilities: ${what}`, `${before}${value}${after}`, headers)
    ])
  ]
}

const text = { type: "string" }
const texts = { type: "array", items: text }

/** The bodies that the OpenAPI document omits. */
const others: Readonly<Record<string, Node>> = {
  "/oauth/register": {
    redirect_uris: { ...texts, examples: [["https://a.example/"]] },
    grant_types: { ...texts, examples: [["authorization_code"]] },
    response_types: texts,
    client_name: text,
    application_type: text
  },
  "/agent/auth": { type: text, requested_credential_type: text },
  "/agent/claim": { claim_token: text, email: text, password: text, name: text },
  "/agent/revoke": { credential: text }
}

const forms = ["/oauth/token", "/oauth/revoke", "/app/sign-in", "/app/register", "/app/claim", "/app/sign-out"]

const ofStrangers = (size: number): ReadonlyArray<WorstRequest> => [
  ...Object.entries(others).flatMap(([url, properties]) => {
    const schema = { type: "object", properties }
    const bodies = [...worstPlaces(schema, exampleOf(schema, itself), itself, size), ...worstWholes(size)]
    return bodies.map(([what, body]) => ({ name: `${url} ${what}`, method: "POST", url, headers: json, body }))
  }),
  ...forms.flatMap((url) =>
    worstForms(size).map(([what, body]) => ({
      name: `${url} ${what}`,
      method: "POST",
      url,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body
    }))
  ),
  ...worstForms(headRoom).flatMap(([what, query]) =>
    ["/oauth/authorize", "/app/sign-in", "/v1/catalog", "/nowhere"].map((path) => ({
      name: `GET ${path} ${what}`,
      method: "GET",
      url: `${path}?${query}`,
      headers: {}
    }))
  ),
  {
    name: "GET /app/sign-in cookies",
    method: "GET",
    url: "/app/sign-in",
    headers: { cookie: "a=%22; ".repeat(headRoom / 7) }
  },
  { name: "GET /nowhere a long path", method: "GET", url: `/${"a/".repeat(headRoom / 2)}`, headers: {} }
]

/**
 * The worst requests to each operation, to each tool, and to routes that the document omits, in `size` bytes each.
 * Generated one by one, because together they exceed the memory.
 */
export function* worstRequests(service: Service, size: number): Generator<WorstRequest> {
  const resolve = resolveIn(service.document)
  yield* ofStrangers(size)
  for (const operation of operationsOf(service.document)) yield* ofOperation(operation, service.session, resolve, size)
  yield* ofToolProtocols(service, size)
  for (const tool of service.tools) yield* ofTool(tool, service, size)
}

import { exampleOf, type WorstRequest } from "./WorstRequests.ts"

type Node = { readonly [key: string]: any }

interface Service {
  /** As `tools/list` answers them. */
  readonly tools: ReadonlyArray<Node>
  /** An unrestricted API key. */
  readonly key: string
  /** Sessions of the tool server: one of revision 2025-03-26, and one of a later revision. */
  readonly toolSession: string
  readonly laterToolSession: string
}

const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const most = Array.from({ length: 50 }, (_, id) => id)

const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "a", version: "1" }
}

const methods: ReadonlyArray<readonly [method: string, params: Node]> = [
  ["tools/list", {}],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "ref://order-statuses" }],
  ["prompts/list", {}],
  ["ping", {}]
]

const message = (method: string, params: Node, id = 1) => ({ jsonrpc: "2.0", id, method, params })

/** The largest requests of a tool: as a table and as an object, where it has both. */
const argumentsOf = ({ inputSchema }: Node): ReadonlyArray<Node> => {
  const { properties = {}, required = [] } = inputSchema as Node
  const needed = Object.fromEntries(required.map((name: string) => [name, exampleOf(properties[name], (node) => node)]))
  const rows = "limit" in properties ? { limit: properties.limit.maximum ?? 100 } : {}
  const formats = "response_format" in properties ? ["csv", "json"] : [undefined]
  return formats.map((response_format) => ({ ...needed, ...rows, ...(response_format && { response_format }) }))
}

/**
 * Requests that are cheap to send and costly to answer: each method of the tool server, alone in each revision and in
 * batches, and each tool 50 times in one request.
 */
export const costlyRequests = ({ key, laterToolSession, toolSession, tools }: Service): ReadonlyArray<WorstRequest> => {
  const post = (url: string, what: string, body: string, more: WorstRequest["headers"] = {}) => ({
    name: `${url} ${what}`,
    method: "POST",
    url,
    headers: { ...headers, "x-api-key": key, ...more },
    body
  })
  const within = { "mcp-session-id": toolSession }
  const calls = tools.flatMap((tool) => argumentsOf(tool).map((given) => [tool["name"] as string, given] as const))
  return [
    ...methods.flatMap(([method, params]) => [
      post("/mcp", `${method} 2025-03-26`, JSON.stringify(message(method, params)), within),
      post("/mcp", `${method} later`, JSON.stringify(message(method, params)), { "mcp-session-id": laterToolSession }),
      post("/mcp", `${method} 2026-07-28`, JSON.stringify(message(method, { ...params, _meta: modern })), {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method
      }),
      post("/mcp", `50 of ${method}`, JSON.stringify(most.map((id) => message(method, params, id))), within)
    ]),
    post(
      "/mcp",
      "each method",
      JSON.stringify(methods.map(([method, params], id) => message(method, params, id))),
      within
    ),
    ...calls.flatMap(([name, given]) => [
      post(
        "/mcp",
        `50 of ${name} ${JSON.stringify(given)}`,
        JSON.stringify(most.map((id) => message("tools/call", { name, arguments: given }, id))),
        within
      ),
      post(
        "/rpc",
        `50 of ${name} ${JSON.stringify(given)}`,
        most.map((id) => JSON.stringify({ _tag: "Request", id: String(id), tag: name, payload: given })).join("\n")
      )
    ])
  ]
}

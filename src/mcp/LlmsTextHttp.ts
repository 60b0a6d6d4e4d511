import { Context, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { Rpc } from "effect/rpc"
import { RequiredScope } from "../accounts/Authentication.ts"
import { enabled } from "../agents/AgentRegistration.ts"
import { Brand } from "../brand/Brand.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { references } from "../rpc/References.ts"
import { Description } from "../rpc/ToolAnnotations.ts"
import { documented, further } from "../rpc/Tools.ts"
import { instructions } from "./Instructions.ts"

const toolsOf = (tools: Iterable<Pick<Rpc.AnyWithProps, "_tag" | "annotations">>) =>
  Array.from(tools, ({ _tag, annotations }) => {
    const scope = Context.get(annotations, RequiredScope)
    return `- ${_tag} (${scope}): ${Context.get(annotations, Description)}`
  }).join("\n")

const resources = references.map(({ description, uri }) => `- ${uri}: ${description}`).join("\n")

const text = (
  name: string,
  { base_url, docs_url, issuer, mcp_url }: Addresses["Service"],
  agents: boolean
) => `# ${name}

> Rents datacenter, residential and mobile proxies: a REST API, and a tool server that speaks the Model Context Protocol.

${instructions}

## Addresses

- [Tool server](${mcp_url}): Model Context Protocol (2025-03-26 to 2026-07-28) over Streamable HTTP. Credentials: an API key in X-API-Key (a person makes one with POST ${base_url}/api-keys), or an OAuth 2.1 access token
- [The same tools for typed clients](${new URL("/rpc", base_url).href}): Effect RPC, one JSON message on each line
- [REST API](${base_url}): [its documentation](${docs_url}), [its OpenAPI document](${new URL("openapi.json", docs_url).href})
- [Guides](${docs_url}/guides): the conventions of the API, webhooks, OAuth, tools and agents, with examples
- [Authorization server](${issuer}/.well-known/oauth-authorization-server): OAuth 2.1 with dynamic registration, for the tool server only
${agents ? `- An agent without a person registers itself: POST ${issuer}/agent/auth with {"type":"anonymous"} returns an API key\n` : ""}
## Tools

The scope of each tool is in brackets.

${toolsOf(documented.requests.values())}

## Tools for API keys without a scope restriction

${toolsOf(further.requests.values())}

## Resources

${resources}
`

/** Introduces the service to a language model that finds it (llmstxt.org). */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { name } = yield* Brand
    const introduction = text(name, yield* Addresses, yield* enabled)
    const answer = HttpServerResponse.text(introduction, { contentType: "text/markdown" })
    yield* router.add("GET", "/llms.txt", answer)
  })
)

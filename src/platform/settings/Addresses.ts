import { Config, Context, Effect, Layer, Schema } from "effect"
import { integer } from "./IntegerSetting.ts"

const isWebAddress = (text: string) => ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "")

/** Paths are added to it. */
const isPlain = (text: string) => {
  const { hash, href, password, search, username } = new URL(text)
  return [hash, password, search, username].every((part) => part === "") && !/[?#]/.test(href)
}

const WebAddress = Schema.Trim.check(
  Schema.makeFilter(
    (text: string) => isWebAddress(text) || "Expected an address such as https://proxies.example.com"
  ).abort(),
  Schema.makeFilter((text: string) => isPlain(text) || "Expected an address without user, query and fragment")
)

const address = (name: string, fallback: string) =>
  Config.schema(WebAddress, name).pipe(
    Config.withDefault(fallback),
    Config.map((text) => new URL(text).href.replace(/\/+$/, ""))
  )

const HostAddress = WebAddress.check(
  Schema.makeFilter((text) => new URL(text).pathname === "/" || "Expected an address without a path")
)

/** The public address has no path, for what it is made of stands at the root of its host. */
const hostAddress = (name: string, fallback: string) =>
  Config.schema(HostAddress, name).pipe(
    Config.withDefault(fallback),
    Config.map((text) => new URL(text).origin)
  )

/** `PORT`, which the default addresses are made of. */
export const ListeningPort = integer("PORT", 0, 65_535).pipe(Config.withDefault(8080))

/** `PUBLIC_URL`, by which the outside reaches the service. */
export const PublicUrl = Effect.flatMap(ListeningPort, (port) => hostAddress("PUBLIC_URL", `http://localhost:${port}`))

/** The service's own addresses as the outside sees them, each without a trailing slash (decisions section 1). */
export class Addresses extends Context.Service<
  Addresses,
  {
    /**
     * Who signs tokens, and where the OAuth server is: neither a path nor a trailing slash, compared byte for byte
     * (specification section 5.2).
     */
    readonly issuer: string
    /** Of the tool server. */
    readonly mcp_url: string
    /** Of the REST API. */
    readonly base_url: string
    /** Of the API's documentation. */
    readonly docs_url: string
    /** Of the user dashboard. */
    readonly app_url: string
  }
>()("app/platform/Addresses") {
  static readonly layer = Layer.effect(
    Addresses,
    Effect.gen(function* () {
      const publicUrl = yield* PublicUrl
      return Addresses.of({
        issuer: yield* hostAddress("ISSUER_URL", publicUrl),
        mcp_url: yield* address("MCP_URL", `${publicUrl}/mcp`),
        base_url: `${publicUrl}/v1`,
        docs_url: `${publicUrl}/docs`,
        app_url: yield* address("APP_URL", `${publicUrl}/app`)
      })
    })
  )
}

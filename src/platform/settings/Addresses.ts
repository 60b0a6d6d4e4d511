import { Config, Context, Effect, Layer, Schema } from "effect"
import { integer } from "./IntegerSetting.ts"

const isWebAddress = (text: string) => ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "")

/** True when a path can be appended: the address has no user, query or fragment. */
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

/** Reads an address without a path, because the documents of its host stand at the root. */
const hostAddress = (name: string, fallback: string) =>
  Config.schema(HostAddress, name).pipe(
    Config.withDefault(fallback),
    Config.map((text) => new URL(text).origin)
  )

/** `HOST`: the address that the service listens on. */
export const ListeningHost = Config.NonEmptyString("HOST").pipe(Config.withDefault("127.0.0.1"))

/** `PORT`; the default addresses contain it. */
export const ListeningPort = integer("PORT", 0, 65_535).pipe(Config.withDefault(8080))

/** `PUBLIC_URL`: the address of the service as clients reach it. */
export const PublicUrl = Effect.flatMap(ListeningPort, (port) => hostAddress("PUBLIC_URL", `http://localhost:${port}`))

const AdminAddress = WebAddress.check(
  Schema.makeFilter(
    (text) =>
      !["", "/", "/v1/admin"].includes(new URL(text).pathname.replace(/\/+$/, "")) || "Expected an address with a path"
  )
)

/** `ADMIN_URL`: the address of the back office. It has a path, because other pages have the root of the service. */
export const AdminUrl = Effect.flatMap(PublicUrl, (publicUrl) =>
  Config.schema(AdminAddress, "ADMIN_URL").pipe(
    Config.withDefault(`${publicUrl}/admin`),
    Config.map((text) => new URL(text).href.replace(/\/+$/, ""))
  )
)

/**
 * The service's own addresses as clients reach them, each without a trailing slash (docs/contract.md, "Addresses and
 * configuration").
 */
export class Addresses extends Context.Service<
  Addresses,
  {
    /**
     * Issuer of tokens, and address of the OAuth server. It has no path and no trailing slash, because clients compare
     * it byte for byte (docs/contract.md, "OAuth").
     */
    readonly issuer: string
    /** Address of the tool server. */
    readonly mcp_url: string
    /** Address of the REST API. */
    readonly base_url: string
    /** Address of the API's documentation. */
    readonly docs_url: string
    /** Address of the dashboard. */
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

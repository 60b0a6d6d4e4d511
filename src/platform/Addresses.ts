import { Config, Context, Effect, Layer, Schema } from "effect"
import { integer } from "./IntegerSetting.ts"

const isWebAddress = (text: string) => ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "")

const WebAddress = Schema.Trim.check(
  Schema.makeFilter((text) => isWebAddress(text) || "Expected an address such as https://proxies.example.com")
)

const address = (name: string, fallback: string) =>
  Config.schema(WebAddress, name).pipe(
    Config.withDefault(fallback),
    Config.map((text) => new URL(text).href.replace(/\/+$/, ""))
  )

/** `PORT`, which the default addresses are made of. */
export const ListeningPort = integer("PORT", 0, 65_535).pipe(Config.withDefault(8080))

/** The service's own addresses as the outside sees them, each without a trailing slash (decisions section 1). */
export class Addresses extends Context.Service<
  Addresses,
  {
    /** Who signs tokens: the public address itself. */
    readonly issuer: string
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
      const port = yield* ListeningPort
      const publicUrl = yield* address("PUBLIC_URL", `http://localhost:${port}`)
      return Addresses.of({
        issuer: yield* address("ISSUER_URL", publicUrl),
        base_url: `${publicUrl}/v1`,
        docs_url: `${publicUrl}/docs`,
        app_url: yield* address("APP_URL", `${publicUrl}/app`)
      })
    })
  )
}

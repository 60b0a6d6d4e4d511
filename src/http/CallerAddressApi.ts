import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Anonymous } from "../accounts/Authentication.ts"

/** The address of the caller: a request through a proxy shows the exit address of the proxy. */
export class CallerAddressApi extends HttpApiGroup.make("caller-address")
  .add(
    HttpApiEndpoint.get("get", "/ip", {
      success: Schema.Struct({
        ip: Schema.String.annotate({
          description: "An IPv4 or IPv6 address in canonical form",
          examples: ["203.0.113.7"]
        })
      }).annotate({ identifier: "CallerAddress" })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Get your address",
        description:
          "Answers the address that the request came from. Call it through a proxy to see the proxy's exit address. Needs no credentials."
      })
    )
  )
  .middleware(Anonymous)
  .annotateMerge(
    OpenApi.annotations({ title: "Address", description: "The address that the service sees of its caller" })
  ) {}

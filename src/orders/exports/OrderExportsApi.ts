import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../../accounts/Authentication.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import * as Page from "../../platform/fields/Page.ts"
import { ordersTag } from "../OrdersApi.ts"
import { OrderSearch } from "../OrderSearch.ts"
import { ExportedProxy } from "./ExportedProxy.ts"
import { ExportFormat } from "./ExportFile.ts"
import { ExportTooLarge } from "./ExportTooLarge.ts"
import { ExportTemplate } from "./ExportTemplate.ts"
import { exportedAtMost } from "./OrderExports.ts"

const urls = Schema.String.annotate({ examples: ["http://u5k2m8p1:f3Zk9Qw1Lm7s@127.0.0.1:20000\n"] })

/** The answers with an export: JSON, text or CSV. */
export const exportedBodies = [
  Schema.Array(ExportedProxy),
  urls.pipe(HttpApiSchema.asText({ contentType: "text/plain" })),
  Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))
] as const

export class OrderExportsApi extends HttpApiGroup.make("order-exports")
  .add(
    HttpApiEndpoint.get("export", "/export", {
      query: {
        ...Page.query(exportedAtMost, exportedAtMost),
        ...OrderSearch.fields,
        format: ExportFormat.pipe(Schema.withDecodingDefaultKey(Effect.succeed("txt" as const))),
        template: Schema.optionalKey(ExportTemplate).annotateKey({
          description:
            "The line of each proxy, for `txt`: text with the placeholders `{protocol}` (`http` or `socks5`) `{host}` `{port}` `{username}` `{password}` `{country}` `{city}` `{name}`, at most 20 of them. Without it, each line is a URL",
          examples: ["{host}:{port}:{username}:{password}"]
        })
      },
      success: exportedBodies,
      error: [RequestInvalid, ExportTooLarge]
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        OpenApi.annotations({
          summary: "Export proxies",
          description:
            "Your proxies with their logins as a file: `txt` (one on each line), `csv` or `json`. The filters are those of the list. Without `status` and `proxy_status`, only running proxies. In CSV, a text that begins with `=`, `+`, `-` or `@`, also after white space, has an apostrophe before it, so that spreadsheets do not run it. In CSV and in templates, line breaks and other control characters become spaces. A file has at most 8 MB; one that would be larger answers `409`: ask for fewer proxies, or for a shorter line. An account may export 30 times a minute."
        })
      )
  )
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(ordersTag) {}

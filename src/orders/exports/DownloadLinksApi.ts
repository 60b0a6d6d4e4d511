import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { UserNotFound } from "../../accounts/AccountErrors.ts"
import { Anonymous, SessionAuthentication, Unauthorized } from "../../accounts/Authentication.ts"
import { DownloadLink, DownloadLinkId } from "./DownloadLink.ts"
import { DownloadLinkNotFound, DownloadNotFound, TooManyDownloadLinks } from "./DownloadLinkErrors.ts"
import { ExportTooLarge } from "./ExportTooLarge.ts"
import { NewDownloadLink } from "./NewDownloadLink.ts"
import { exportedBodies } from "./OrderExportsApi.ts"

const CreatedLink = Schema.Struct({
  ...DownloadLink.json.fields,
  url: Schema.String.annotate({
    description: "The address of the download. Keep it secret, and store it: the service shows it only here",
    examples: ["http://localhost:8080/v1/downloads/prd_0mFf3cQ7n1p8Zb6uWk2yTj5sXe9vRh4aLd0gIiMoBcE"]
  })
}).annotate({ identifier: "CreatedDownloadLink" })

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const create = HttpApiEndpoint.post("create", "/download-links", {
  payload: NewDownloadLink,
  success: CreatedLink.pipe(HttpApiSchema.status(201)),
  error: [TooManyDownloadLinks, UserNotFound, Unauthorized]
})
  .middleware(SessionAuthentication)
  .annotateMerge(
    described(
      "Create a download link",
      "Returns an address from which programs download your proxies with their logins, without other credentials. The file always has your present proxies that fit the filter. The service shows the address once. An account may have 20 links; one more answers `409`."
    )
  )

const list = HttpApiEndpoint.get("list", "/download-links", {
  success: Schema.Struct({
    download_links: Schema.Array(DownloadLink.json.annotate({ identifier: "DownloadLink" })),
    total: Schema.Int.annotate({ examples: [1] })
  }).annotate({ identifier: "DownloadLinkList" })
})
  .middleware(SessionAuthentication)
  .annotateMerge(
    described(
      "List download links",
      "Lists the settings and the last use of each link, the newest first; never an address."
    )
  )

const revoke = HttpApiEndpoint.delete("revoke", "/download-links/:link_id", {
  params: { link_id: DownloadLinkId },
  success: HttpApiSchema.Empty(204),
  error: DownloadLinkNotFound
})
  .middleware(SessionAuthentication)
  .annotateMerge(described("Revoke a download link", "The link stops working immediately. You cannot undo this."))

const download = HttpApiEndpoint.get("download", "/downloads/:token", {
  params: { token: Schema.String },
  success: exportedBodies,
  error: [DownloadNotFound, ExportTooLarge]
})
  .middleware(Anonymous)
  .annotateMerge(
    described(
      "Download proxies",
      "Answers the file of a download link: at most 10,000 proxies and 8 MB, 10 times a minute. The address is the only credential. A revoked link, and one that never existed, answer `404`."
    )
  )

/** Links that download an export. Only a signed-in person can manage them. */
export class DownloadLinksApi extends HttpApiGroup.make("download-links")
  .add(create, list, revoke, download)
  .annotateMerge(
    OpenApi.annotations({ title: "Download links", description: "Addresses from which programs download your proxies" })
  ) {}

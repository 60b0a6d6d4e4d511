import { Schema } from "effect"
import { Model } from "effect/schema"
import { UserId } from "../../accounts/User.ts"
import { ProxyKind } from "../../catalog/Offer.ts"
import { ListedProxyStatus } from "../OrderFilter.ts"
import { OrderSort } from "../OrderSearch.ts"
import { ExportFormat } from "./ExportFile.ts"

export const DownloadLinkId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("DownloadLinkId"))
export type DownloadLinkId = typeof DownloadLinkId.Type

/** A link that downloads an export without other credentials. The service shows it once and stores the hash of its token. */
export class DownloadLink extends Model.Class<DownloadLink>("DownloadLink")({
  id: Model.UuidV7Insert(DownloadLinkId),
  user_id: Model.Sensitive(UserId),
  name: Schema.String.annotate({ examples: ["Crawler in London"] }),
  token_hash: Model.Sensitive(Schema.String),
  format: ExportFormat,
  template: Schema.NullOr(Schema.String).annotate({ examples: ["{host}:{port}:{username}:{password}"] }),
  q: Schema.NullOr(Schema.String),
  country: Schema.NullOr(Schema.String).annotate({ examples: ["DE"] }),
  proxy_type: Schema.NullOr(ProxyKind),
  proxy_status: Schema.NullOr(ListedProxyStatus),
  sort: Schema.NullOr(OrderSort),
  last_used_at: Model.Field({
    select: Schema.NullOr(Schema.DateTimeUtcFromDate),
    insert: Schema.NullOr(Schema.DateTimeUtcFromDate),
    json: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({
      description: "Time of the last download, to the minute"
    })
  }),
  created_at: Model.DateTimeInsertFromDate
}) {}

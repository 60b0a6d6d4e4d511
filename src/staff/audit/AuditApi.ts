import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Text } from "../../platform/fields/Text.ts"
import * as Keyset from "../Keyset.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { AuditEvent } from "./AuditEvent.ts"

const Id = Schema.String.check(Schema.isUUID())

const AuditEventView = Schema.Struct({ ...AuditEvent.fields, occurred_at: Schema.DateTimeUtcFromString }).annotate({
  identifier: "AuditEvent"
})

/** The filters of the log, as query parameters. */
const filters = {
  staff_id: Schema.optionalKey(Id.annotate({ description: "The person who acted, in a session or by a token" })),
  action: Schema.optionalKey(Text(3, 100).annotate({ description: "The permission that was used: `area.verb`" })),
  outcome: Schema.optionalKey(Schema.Literals(["done", "refused"])),
  subject_id: Schema.optionalKey(Text(1, 300).annotate({ description: "The record that it was about" })),
  user_id: Schema.optionalKey(Id.annotate({ description: "The customer whom it was about" })),
  from: Schema.optionalKey(Schema.DateTimeUtcFromString.annotate({ description: "The earliest time, in ISO 8601" })),
  to: Schema.optionalKey(Schema.DateTimeUtcFromString.annotate({ description: "The time before which it was" }))
}

export class AuditApi extends HttpApiGroup.make("adminAudit")
  .add(
    HttpApiEndpoint.get("listAudit", "/audit", {
      query: { ...Keyset.query, ...filters },
      success: Keyset.view(AuditEventView).annotate({ identifier: "AuditPage" })
    })
      .annotate(RequiredPermission, "audit.read")
      .annotate(OpenApi.Summary, "List the audit log")
      .annotate(OpenApi.Description, "Everything that staff did or were refused, the newest first.")
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Audit log")
  .annotate(OpenApi.Description, "The append-only log of what staff do.") {}

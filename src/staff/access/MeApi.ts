import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Permission } from "../Permissions.ts"
import { Role } from "../Role.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"

const Me = Schema.Struct({
  kind: Schema.Literals(["staff", "token"]).annotate({ description: "A session of a person, or a token" }),
  staff_id: Schema.String.annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"] }),
  name: Schema.String.annotate({ description: "Name of the person or of the token", examples: ["Ada"] }),
  role: Role,
  permissions: Schema.Array(Permission)
}).annotate({ identifier: "Me" })

export class MeApi extends HttpApiGroup.make("adminMe")
  .add(
    HttpApiEndpoint.get("getMe", "/me", { success: Me })
      .annotate(RequiredPermission, "me.read")
      .annotate(OpenApi.Summary, "Show who you are")
      .annotate(OpenApi.Description, "Shows the role and the permissions of your session or token."),
    HttpApiEndpoint.get("getDocument", "/openapi.json", { success: Schema.Record(Schema.String, Schema.Json) })
      .annotate(RequiredPermission, "me.read")
      .annotate(OpenApi.Summary, "Get this document")
      .annotate(OpenApi.Description, "The OpenAPI document of the admin API. It differs from the public document.")
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Me")
  .annotate(OpenApi.Description, "The caller and this document.") {}

import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UserNotFound } from "../AccountErrors.ts"
import { Authentication, RequiredScope } from "../Authentication.ts"
import { UserView } from "../User.ts"

const me = HttpApiEndpoint.get("me", "/users/me", { success: UserView, error: UserNotFound })
  .annotate(RequiredScope, "account:read")
  .annotate(OpenApi.Summary, "Who am I")
  .annotate(OpenApi.Description, "The account of the session or of the API key.")

/** The one account operation that programs may use too. */
export class ProfileApi extends HttpApiGroup.make("profile")
  .add(me)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Profile")
  .annotate(OpenApi.Description, "Whose credentials these are.") {}

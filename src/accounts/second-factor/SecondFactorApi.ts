import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { optional } from "../../platform/fields/Optional.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import {
  SecondFactorNeedsEmail,
  SecondFactorNotStarted,
  SecondFactorOff,
  SecondFactorOn,
  UserNotFound,
  WrongOtp,
  WrongPassword
} from "../AccountErrors.ts"
import { SessionAuthentication } from "../Authentication.ts"
import { GivenPassword } from "../passwords/Password.ts"
import { Otp } from "./Otp.ts"

const password = optional(GivenPassword, { description: "Required, unless the account has no password" })

const RecoveryCodes = Schema.Struct({
  recovery_codes: Schema.Array(Schema.String).annotate({
    description: "Ten codes that work once each. Store them: the service shows them only here",
    examples: [["k3vq-7w2m-xd5r-ab4t"]]
  })
}).annotate({ identifier: "RecoveryCodes" })

const get = HttpApiEndpoint.get("get", "/", {
  success: Schema.Struct({
    enabled_at: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({ description: "Null while it is off" }),
    recovery_codes_left: Schema.Int.annotate({ examples: [10] })
  }).annotate({ identifier: "SecondFactor" })
})
  .annotate(OpenApi.Summary, "Get the second factor")
  .annotate(OpenApi.Description, "Returns since when a sign-in needs a code, and how many recovery codes are left.")

const begin = HttpApiEndpoint.post("begin", "/", {
  payload: Schema.Struct({ password }),
  success: Schema.Struct({
    secret: Schema.String.annotate({
      description: "20 bytes in base32, for an app that cannot read the URI",
      examples: ["JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"]
    }),
    otpauth_uri: Schema.String.annotate({
      description: "Show it as a QR code to the authenticator app",
      examples: [
        "otpauth://totp/Proxies:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Proxies&algorithm=SHA1&digits=6&period=30"
      ]
    }),
    expires_at: Schema.DateTimeUtcFromString
  })
    .annotate({ identifier: "SecondFactorSetup" })
    .pipe(HttpApiSchema.status(201)),
  error: [WrongPassword, SecondFactorNeedsEmail, SecondFactorOn, RequestInvalid, UserNotFound]
})
  .annotate(OpenApi.Summary, "Begin to set up the second factor")
  .annotate(
    OpenApi.Description,
    "Makes a secret for an authenticator app (TOTP, RFC 6238: SHA-1, 6 digits, 30 seconds). Nothing changes until " +
      "`POST /users/me/second-factor/confirm` gets a code of it: in this session, within 15 minutes. Another request " +
      "replaces the secret. The email of the account must be verified. A wrong password answers 403, a missing one 422. " +
      "Limit: 10 attempts per session in 15 minutes, together with password changes."
  )

const confirm = HttpApiEndpoint.post("confirm", "/confirm", {
  payload: Schema.Struct({ otp: Otp }),
  success: RecoveryCodes,
  error: [WrongOtp, SecondFactorNeedsEmail, SecondFactorOn, SecondFactorNotStarted, UserNotFound]
})
  .annotate(OpenApi.Summary, "Turn the second factor on")
  .annotate(
    OpenApi.Description,
    "Takes the first code of the authenticator app, and returns ten recovery codes once. From then on, a sign-in needs a " +
      "code. All other sessions end; API keys and connected apps stay as they are. If the answer is lost, get other recovery codes. " +
      "Limit: 5 wrong codes for an account in 15 minutes."
  )

const remove = HttpApiEndpoint.delete("remove", "/", {
  payload: Schema.Struct({ password, otp: Otp }),
  success: HttpApiSchema.Empty(204),
  error: [WrongPassword, WrongOtp, SecondFactorOff, RequestInvalid, UserNotFound]
})
  .annotate(OpenApi.Summary, "Turn the second factor off")
  .annotate(
    OpenApi.Description,
    "Needs the password and a code of the authenticator app or a recovery code. Deletes the secret and the recovery codes, and ends all other sessions. " +
      "If you have lost both the app and the recovery codes, only the operator's support can turn it off. Limits: as for " +
      "setting it up, and 5 wrong codes for an account in 15 minutes."
  )

const renewCodes = HttpApiEndpoint.post("renewRecoveryCodes", "/recovery-codes", {
  payload: Schema.Struct({ password, otp: Otp }),
  success: RecoveryCodes,
  error: [WrongPassword, WrongOtp, SecondFactorOff, RequestInvalid, UserNotFound]
})
  .annotate(OpenApi.Summary, "Replace the recovery codes")
  .annotate(
    OpenApi.Description,
    "Returns ten other recovery codes once; the earlier ones stop working, and all other sessions end. Needs the password and a code. Limits: as for " +
      "turning it off."
  )

/** The operations of a signed-in person on the second factor. */
export class SecondFactorApi extends HttpApiGroup.make("second-factor")
  .add(get, begin, confirm, remove, renewCodes)
  .prefix("/users/me/second-factor")
  .middleware(SessionAuthentication)
  .annotate(OpenApi.Title, "Second factor")
  .annotate(
    OpenApi.Description,
    "Make sign-ins need a code of an authenticator app beside the password. These operations need a session; they refuse " +
      "API keys."
  ) {}

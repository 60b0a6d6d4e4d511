import { Config, Context, Effect, Option } from "effect"
import { builtIn } from "../brand/Brand.ts"
import * as BrandFolder from "../brand/BrandFolder.ts"
import * as Smtp from "../platform/mail/Smtp.ts"
import * as ExplainSetting from "../platform/settings/ExplainSetting.ts"
import * as RealMoney from "../wallet/RealMoney.ts"
import { type Check, failed } from "./Check.ts"
import { isSample } from "./IsSample.ts"
import { isSet } from "./IsSet.ts"
import { isPublicHost } from "./PublicPlace.ts"

const smtp: Check = {
  id: "mail.smtp",
  severity: "error",
  run: Effect.gen(function* () {
    if ((yield* isSet("SMTP_URL")) || (yield* RealMoney.gateways).length === 0) return undefined
    return failed(
      "SMTP_URL is not set: mails go to files, so nobody can verify an email, reset a password or hear of a purchase; set it and MAIL_FROM"
    )
  })
}

/** The domain of `a@example.com` or `Shop <a@example.com>`. */
const domainOf = (sender: string) => /@([^@<>\s]+)>?\s*$/.exec(sender)?.[1] ?? ""

const from: Check = {
  id: "mail.from",
  severity: "error",
  run: Effect.gen(function* () {
    if (!(yield* isSet("SMTP_URL"))) return undefined
    const setting = Option.getOrUndefined(yield* Config.option(Config.String("MAIL_FROM")))
    // `brand.files` reports the faults of the folder.
    const { sender_email } = yield* Effect.orElseSucceed(BrandFolder.read, () => builtIn)
    const [name, sender] = setting === undefined ? ["sender_email", sender_email] : ["MAIL_FROM", setting]
    if (sender === undefined)
      return failed("Neither MAIL_FROM nor sender_email in brand.json is set; set a sender of your own domain")
    const domain = domainOf(sender)
    return domain.includes(".") && isPublicHost(domain) && !isSample(domain)
      ? undefined
      : failed(`${name} is ${sender}, which mail servers refuse; set a sender of your own domain`)
  })
}

/** Connects to the mail server of a URL and signs in. */
export const SmtpLogin = Context.Reference("app/doctor/SmtpLogin", { defaultValue: () => Smtp.login })

const login: Check = {
  id: "mail.login",
  severity: "error",
  asksOutside: true,
  run: Effect.gen(function* () {
    const url = Option.getOrUndefined(yield* Config.option(Config.schema(Smtp.SmtpUrl, "SMTP_URL")))
    if (url === undefined) return undefined
    const signIn = yield* SmtpLogin
    return yield* Effect.match(signIn(url), {
      onFailure: ({ reason }) =>
        failed(
          `The mail server of SMTP_URL does not let the service in (${reason}), so mails wait and are lost after a day; check host, port, user and password, and that your hoster lets mail out`
        ),
      onSuccess: () => undefined
    })
  }).pipe(Effect.catchTag("ConfigError", (error) => Effect.succeed(failed(ExplainSetting.explain(error)))))
}

export const checks: ReadonlyArray<Check> = [smtp, login, from]

import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { CredentialsRepo } from "../../src/accounts/CredentialsRepo.ts"
import { EmailTokensRepo } from "../../src/accounts/EmailTokensRepo.ts"
import * as EmailDelivery from "../../src/accounts/mail/EmailDelivery.ts"
import { EmailOutboxRepo } from "../../src/accounts/mail/EmailOutboxRepo.ts"
import { UserId } from "../../src/accounts/User.ts"
import * as BrandFolder from "../../src/brand/BrandFolder.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { SentMail } from "../../src/platform/mail/Mailer.ts"
import { example, folderWith } from "../brand/BrandTesting.ts"
import { http, newAccount, password } from "../dashboard/PagesTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

const brand = Layer.unwrap(
  Effect.map(
    folderWith({ ...example, "mail/proxy_ended.txt": "Order: {{order_id}}\n{{message}}\n\nAsk {{support}}.\n" }),
    (BRAND_DIR) =>
      BrandFolder.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ BRAND_DIR }))))
  )
)

const signature = `

-- 
Acme Proxies
Acme Networks GmbH, HRB 12345, VAT DE123456789
Hauptstraße 1, 10115 Berlin, Germany
Support: help@acme.example, https://acme.example/help`

/** Delivers the queue; answers the mails to an address, oldest first. */
const mailsTo = Effect.fnUntraced(function* (address: string) {
  yield* EmailDelivery.run.pipe(Effect.provide([CredentialsRepo.layer, EmailOutboxRepo.layer, EmailTokensRepo.layer]))
  return (yield* Ref.get(yield* SentMail)).filter(({ to }) => to === address)
})

/** An account whose mails so far are delivered, and whose email is verified. */
const verified = Effect.gen(function* () {
  const account = yield* newAccount
  const sql = yield* SqlClient.SqlClient
  const before = yield* mailsTo(account.email)
  yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${account.id}`
  return { ...account, user_id: UserId.make(account.id), before }
})

/** Has the account notified; answers its mail. */
const noticed = Effect.fnUntraced(function* (order_id: string | null) {
  const { before, email, user_id } = yield* verified
  const notice = { user_id, kind: "proxy_ended", order_id, message: () => "It ended. {{brand}}" } as const
  yield* Notifications.use((notifications) => notifications.add([notice]))
  return (yield* mailsTo(email)).slice(before.length)
})

/** Changes the email of an account; answers the mail to the old address. */
const emailChanged = Effect.gen(function* () {
  const { before, email, token } = yield* verified
  const body = { email: `${randomUUID()}@example.com`, password }
  yield* request("PATCH", "/v1/users/me", { user: token, body })
  const [mail] = (yield* mailsTo(email)).slice(before.length)
  return mail
})

layer(Layer.provideMerge(TestApp.layer(), brand))("Mails with a brand", (it) => {
  it.effect("have its words, its name as the sender, and its company at the end", () =>
    Effect.gen(function* () {
      const { before, email } = yield* verified
      const [mail] = before
      assert.deepStrictEqual(
        { ...mail, text: mail?.text.replace(/token=[\w-]{43}$/m, "token=…") },
        {
          to: email,
          subject: "Acme Proxies: confirm your email",
          text: `Hello,

please confirm your address within 24 hours:

  ${http}/app/verify-email?token=…

You did not register with Acme Proxies? Ignore this mail, or write to our support (help@acme.example, https://acme.example/help).${signature}`
        }
      )
    })
  )

  it.effect("name its support where the built-in words send a person there", () =>
    Effect.gen(function* () {
      const mail = yield* emailChanged
      assert.strictEqual(mail?.subject, "Your email was changed")
      assert.isTrue(
        mail?.text.endsWith(`Write to our support (help@acme.example, https://acme.example/help) now.${signature}`),
        mail?.text
      )
    })
  )

  it.effect("of notices have its words, without the lines that have nothing to say", () =>
    Effect.gen(function* () {
      const order_id = randomUUID()
      const text = `It ended. {{brand}}\n\nAsk our support (help@acme.example, https://acme.example/help).${signature}`
      assert.deepStrictEqual(
        (yield* noticed(order_id)).map(({ text }) => text),
        [`Order: ${order_id}\n${text}`]
      )
      assert.deepStrictEqual(
        (yield* noticed(null)).map(({ subject, text }) => [subject, text]),
        [["Your proxy has ended before its time", text]]
      )
    })
  )
})

layer(TestApp.layer())("Mails without a brand", (it) => {
  it.effect("have the built-in words alone", () =>
    Effect.gen(function* () {
      const [mail] = (yield* verified).before
      assert.deepInclude(mail, { subject: "Verify your email" })
      assert.match(
        mail?.text ?? "",
        /^Please confirm .*\n\n {2}http:\S+\/app\/verify-email\?token=([\w-]{43})\n\n[^]*-d '\{"token":"\1"\}'\n\n[^]*set up\.$/
      )
    })
  )

  it.effect("send nobody to a support without an address", () =>
    Effect.gen(function* () {
      assert.match((yield* emailChanged)?.text ?? "", /You did not change it\?.* access to your account\.$/)
    })
  )
})

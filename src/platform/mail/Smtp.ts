import { Config, Effect, Option, Predicate, Redacted, Schema } from "effect"
import { missing } from "../settings/MissingSetting.ts"
import { type Mail, MailNotSent } from "./Mail.ts"
import { Sender } from "./Sender.ts"

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 5_000 }

const fieldOf = (error: unknown, name: string): unknown =>
  Predicate.hasProperty(error, name) ? error[name] : undefined

const codesBefore = ["EDNS", "ETLS", "EAUTH", "ENOAUTH"]
const timeoutsBefore = ["CONNECT_TIMEOUT", "GREETING_TIMEOUT", "UPGRADE_TIMEOUT"]
const refusedConnections = ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"]

/**
 * True when the connection failed before a mail could go over it. The library names the same command for a connection that
 * is lost later, so the command says nothing.
 */
const isBeforeMail = (error: unknown) => {
  const has = (name: string, values: ReadonlyArray<unknown>) => values.includes(fieldOf(error, name))
  return has("code", codesBefore) || has("timeoutType", timeoutsBefore) || has("originalCode", refusedConnections)
}

/** An SMTP reply of 500 or above is permanent (RFC 5321, section 4.2.1); every other failure may pass. */
const notSent = (error: unknown) => {
  const reply = fieldOf(error, "responseCode")
  return new MailNotSent({
    reason: error instanceof Error ? error.message : String(error),
    permanent: typeof reply === "number" && reply >= 500,
    uncertain: typeof reply !== "number" && !isBeforeMail(error)
  })
}

/** `smtp://user:password@host:port`, or `smtps:` for TLS from the start. */
export const SmtpUrl = Schema.RedactedFromValue(
  Schema.String.check(
    Schema.makeFilter(
      (text) => /^smtps?:$/.test(URL.parse(text)?.protocol ?? "") || "must be an smtp:// or smtps:// URL"
    )
  )
)

/** Adds the name to an address alone. `Proxies <no-reply@example.com>` has a name of its own. */
const named = (from: string, name = "") => (/^[^\s<>()"]+$/.test(from) ? { name, address: from } : from)

/** The sender of all mails: `MAIL_FROM`, else the address of the brand. */
const from = Effect.gen(function* () {
  const { address, name } = yield* Sender
  const given = Option.getOrElse(yield* Config.option(Config.NonEmptyString("MAIL_FROM")), () => address)
  if (given === undefined)
    return yield* Effect.fail(
      missing(["MAIL_FROM"], "SMTP_URL is set, and brand.json has no sender_email (docs/brand.md)")
    )
  return named(given, name)
})

/** The library is loaded only where mail goes to a server, because a start without one takes less time then. */
const createTransport = Effect.map(
  Effect.promise(() => import("nodemailer")),
  ({ createTransport }) => createTransport
)

/** Connects to the server at `url` and signs in, within 20 seconds. Sends nothing. */
export const login = (url: Redacted.Redacted): Effect.Effect<void, MailNotSent> =>
  Effect.acquireUseRelease(
    Effect.map(createTransport, (create) => create({ url: Redacted.value(url), ...timeouts })),
    (transport) => Effect.tryPromise({ try: () => transport.verify(), catch: notSent }),
    (transport) => Effect.sync(() => transport.close())
  ).pipe(
    Effect.timeoutOrElse({
      duration: "20 seconds",
      orElse: () => new MailNotSent({ reason: "it did not answer within 20 seconds", permanent: false })
    }),
    Effect.asVoid
  )

/** Sends mail through the server at `url`. */
export const make = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const sender = yield* from
  const transport = yield* Effect.acquireRelease(
    Effect.map(createTransport, (create) =>
      create({ url: Redacted.value(url), pool: true, maxConnections: 5, ...timeouts })
    ),
    (transport) => Effect.sync(() => transport.close())
  )
  return ({ headers = {}, ...mail }: Mail): Effect.Effect<void, MailNotSent> =>
    Effect.tryPromise({
      try: () => transport.sendMail({ ...mail, headers, from: sender }),
      catch: notSent
    }).pipe(
      Effect.timeoutOrElse({
        duration: "30 seconds",
        orElse: () =>
          new MailNotSent({
            reason: "The mail server did not answer within 30 seconds",
            permanent: false,
            uncertain: true
          })
      }),
      Effect.asVoid
    )
})

import { Console, DateTime, Effect, type Layer, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import { userInfo } from "node:os"
import * as Actor from "../staff/Actor.ts"
import { AnnouncementDesk } from "../staff/announcements/AnnouncementDesk.ts"
import type { AnnouncementView } from "../staff/announcements/AnnouncementView.ts"
import { EndReason, NewAnnouncement } from "../staff/announcements/NewAnnouncement.ts"
import { tellFailure } from "./TellFailure.ts"

type Services<E, R> = Layer.Layer<AnnouncementDesk, E, R>

const listLimit = 100

const actor = Effect.sync(() => Actor.cli(userInfo().username))

const { audience, body_en, kind, title_en } = NewAnnouncement.fields

const Moment = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/, { expected: "2027-01-01 or 2027-01-01T12:00:00Z" })
).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))

const moment = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withSchema(Moment),
    Flag.withDescription(`${description}, in UTC, such as 2027-01-01 or 2027-01-01T12:00:00Z`)
  )

const words = (name: string, schema: typeof title_en | typeof body_en, description: string) =>
  Flag.String(name).pipe(Flag.withSchema(schema), Flag.withDescription(description))

const given = {
  kind: Argument.Literals("kind", kind.literals).pipe(
    Argument.withDescription("info and warning are news, which readers can turn off; maintenance has a window")
  ),
  title: words("title", title_en, "Title in English, 3 to 120 characters"),
  text: words("text", body_en, "Text in English, 3 to 4,000 characters"),
  titleDe: words("title-de", title_en, "Title in German").pipe(Flag.optional),
  textDe: words("text-de", body_en, "Text in German").pipe(Flag.optional),
  to: Flag.Literals("to", audience.literals).pipe(
    Flag.withDefault("all"),
    Flag.withDescription("Everybody, the accounts with running proxies of a provider, country or kind, or one account")
  ),
  name: Flag.String("name").pipe(
    Flag.optional,
    Flag.withDescription("The provider, the country's code, the kind, or the id of the account")
  ),
  from: moment("from", "Start of the banner or of the window; default: now").pipe(Flag.optional),
  until: moment("until", "End of the banner or of the window"),
  mail: Flag.Boolean("mail").pipe(Flag.optional, Flag.withDescription("Mail it too")),
  yes: Flag.Boolean("yes").pipe(
    Flag.optional,
    Flag.withDescription("Publish; without it, only the number of mails is printed")
  )
}

const publish = Command.make(
  "publish",
  given,
  Effect.fn(function* ({ from, kind, mail, name, text, textDe, title, titleDe, to, until, yes }) {
    const desk = yield* AnnouncementDesk
    const by = yield* actor
    const isOn = Option.getOrElse<boolean>(() => false)
    const wanted = {
      kind,
      title_en: title,
      body_en: text,
      ...(Option.isSome(titleDe) && { title_de: titleDe.value }),
      ...(Option.isSome(textDe) && { body_de: textDe.value }),
      audience: to,
      ...(Option.isSome(name) && { audience_id: name.value }),
      by_banner: true,
      by_mail: isOn(mail),
      starts_at: Option.isSome(from) ? from.value : yield* DateTime.now,
      ends_at: until
    }
    const recipients = yield* tellFailure(desk.preview(by, wanted))
    const mails = wanted.by_mail ? `${recipients} mails` : "no mails"
    if (!isOn(yes)) return yield* Console.log(`Would publish with ${mails}; repeat with --yes`)
    const { answer } = yield* tellFailure(desk.publish(by, randomUUID(), wanted))
    yield* Console.log(`published\t${answer.id}\t${mails}`)
  })
).pipe(Command.withDescription("Publish an announcement on the pages of customers, and by mail"))

const line = (one: typeof AnnouncementView.Type) =>
  [
    one.id,
    one.kind,
    one.audience_id === null ? one.audience : `${one.audience} ${one.audience_id}`,
    `from ${DateTime.formatIso(one.starts_at)}`,
    `until ${DateTime.formatIso(one.ended_at ?? one.ends_at)}`,
    one.by_mail ? `${one.mails} mails${one.mails_next_at === null ? "" : " so far"}` : "no mails",
    one.title_en
  ].join("\t")

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const desk = yield* AnnouncementDesk
    const { items } = yield* tellFailure(desk.list(yield* actor, { limit: listLimit }))
    if (items.length === 0) yield* Console.log("No announcements")
    yield* Effect.forEach(items, (one) => Console.log(line(one)), { discard: true })
  })
).pipe(Command.withDescription(`Print the ${listLimit} newest announcements`))

const end = Command.make(
  "end",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the announcement; list prints them")),
    reason: Flag.String("reason").pipe(
      Flag.withSchema(EndReason),
      Flag.withDescription("Why, in 3 to 500 characters; the audit log keeps it")
    )
  },
  Effect.fn(function* ({ id, reason }) {
    const desk = yield* AnnouncementDesk
    const by = yield* actor
    const found = yield* tellFailure(desk.find(by, id))
    const { answer } = yield* tellFailure(desk.end(by, randomUUID(), found.id, reason))
    yield* Console.log(`ended\t${line(answer)}`)
  })
).pipe(Command.withDescription("End an announcement before its time, and stop the mails that are not sent"))

export const announce = <E, R>(services: Services<E, R>) =>
  Command.make("announce").pipe(
    Command.withDescription("Tell customers something on their pages and by mail"),
    Command.withSubcommands([
      Command.provide(publish, services),
      Command.provide(list, services),
      Command.provide(end, services)
    ])
  )

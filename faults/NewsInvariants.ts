import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Record } from "./Record.ts"

/** A mail of an announcement in the service's log. */
export interface LoggedMail {
  readonly announcement_id: string
  readonly user_id: string
  readonly to_address: string
  readonly status: string
}

/** The service keeps no more files of mails than these. */
const filesKept = 1000

/** A mail of an announcement; the subject names it. */
const announced = /^To: (\S+)\nSubject: News ([0-9a-f-]{36})$/m

/** The mails that have arrived. */
export interface Arrived {
  /** By reader and announcement. */
  readonly times: ReadonlyMap<string, number>
  /** True when the service has kept each mail. */
  readonly isWhole: boolean
}

const keyOf = (to: string, id: string) => `${to} ${id}`

/** Reads the mails that the service has sent. */
const arrivedIn = (directory: string): Arrived => {
  const files = fs.existsSync(directory) ? fs.readdirSync(directory) : []
  const times = new Map<string, number>()
  for (const file of files) {
    const [, to = "", id = ""] = announced.exec(fs.readFileSync(path.join(directory, file), "utf8")) ?? []
    if (id !== "") times.set(keyOf(to, id), (times.get(keyOf(to, id)) ?? 0) + 1)
  }
  return { times, isWhole: files.length < filesKept }
}

const named = (name: string, broken: ReadonlyArray<string>): ReadonlyArray<string> =>
  broken.length === 0 ? [] : [`${name}: ${broken.length}, such as ${broken[0]}`]

/** Each mail is logged once and arrives once; not at all only when the service says that it does not know. */
export const compare = (
  { announcements }: Pick<Record, "announcements">,
  published: ReadonlyArray<string>,
  mails: ReadonlyArray<LoggedMail>,
  { isWhole, times }: Arrived
): ReadonlyArray<string> => {
  const asked = new Set(announcements.map(({ id }) => id))
  const logged = Map.groupBy(mails, ({ announcement_id, user_id }) => keyOf(user_id, announcement_id))
  return [
    ...named("an announcement is published once, as it was answered", [
      ...announcements.filter(({ id, isMade }) => isMade && !published.includes(id)).map(({ id }) => id),
      ...published.filter((id) => !asked.has(id)).map((id) => `${id}, which nobody asked for`)
    ]),
    ...named("an announcement has one mail for each account", [
      ...[...logged].filter(([, { length }]) => length > 1).map(([key, { length }]) => `${key}: ${length} mails`),
      ...announcements
        .filter(({ isEnded, isMade }) => isMade && !isEnded)
        .flatMap(({ id, readers }) => readers.map((reader) => keyOf(reader, id)))
        .filter((key) => !logged.has(key))
        .map((key) => `${key}: no mail`)
    ]),
    ...named("a mail of an announcement arrives once", [
      ...[...times].filter(([, count]) => count > 1).map(([key, count]) => `${key} ${count} times`),
      ...mails
        .filter(({ announcement_id: id, status, to_address: to }) => {
          const isLost = isWhole && status === "delivered" && !times.has(keyOf(to, id))
          return isLost || (times.has(keyOf(to, id)) && status !== "delivered" && status !== "unknown")
        })
        .map(({ announcement_id: id, status, to_address: to }) => `${keyOf(to, id)}, logged as ${status}`)
    ])
  ]
}

export const violations = Effect.fnUntraced(function* (record: Record, directory: string) {
  const sql = yield* SqlClient.SqlClient
  const published = yield* sql<{ id: string }>`SELECT id FROM announcement`
  const mails = yield* sql<LoggedMail>`
    SELECT announcement_id, user_id, to_address, status FROM mail_log WHERE announcement_id IS NOT NULL
  `
  return compare(
    record,
    published.map(({ id }) => id),
    mails,
    arrivedIn(directory)
  )
})

import { Clock, Duration, Effect, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { StateDirectory } from "../settings/StateDirectory.ts"
import { type Mail, MailNotSent } from "./Mail.ts"

const kept = { most: 1000, time: Duration.days(7) }

const content = ({ headers = {}, subject, text, to }: Mail) => {
  const lines = Object.entries({ To: to, Subject: subject, ...headers }).map(([name, value]) => `${name}: ${value}`)
  return `${lines.join("\n")}\n\n${text}\n`
}

/** Begins a file name with the time, so that files sort by age. */
const stamp = (millis: number) => new Date(millis).toISOString().replaceAll(":", "-")
const ours = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f-]{36}\.txt$/

/** Removes files older than a week, and the oldest files beyond 1,000. Keeps files that the service did not write. */
const sweep = Effect.fnUntraced(function* (folder: string) {
  const oldest = stamp((yield* Clock.currentTimeMillis) - Duration.toMillis(kept.time))
  yield* Effect.promise(async () => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => ours.test(name)).toSorted()
    const old = names.filter((name, index) => name < oldest || index < names.length - kept.most)
    await Promise.all(old.map((name) => rm(join(folder, name), { force: true })))
  })
})

/**
 * Writes each mail to a file in `{DATA_DIR}/mail` for a developer to read, and logs the path. Keeps the newest 1,000
 * files for a week.
 */
export const make = Effect.gen(function* () {
  const folder = join(yield* StateDirectory, "mail")
  const swept = Effect.catchCause(sweep(folder), (cause) => Effect.logWarning("Cannot remove old mail files", cause))
  yield* swept.pipe(Effect.repeat(Schedule.spaced("1 hour")), Effect.forkScoped)

  return (mail: Mail): Effect.Effect<void, MailNotSent> =>
    Effect.gen(function* () {
      const file = join(folder, `${stamp(yield* Clock.currentTimeMillis)}-${randomUUID()}.txt`)
      yield* Effect.tryPromise({
        try: async () => {
          await mkdir(folder, { recursive: true, mode: 0o700 })
          await writeFile(file, content(mail), { mode: 0o600 })
        },
        catch: (error) => new MailNotSent({ reason: String(error), permanent: false })
      })
      yield* Effect.logInfo(`Mail "${mail.subject}" for ${mail.to} is in ${file}`)
      yield* swept
    })
})

import { Clock, Duration, Effect, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { StateDirectory } from "../settings/StateDirectory.ts"
import { type Mail, MailNotSent } from "./Mail.ts"

const kept = { most: 1000, time: Duration.days(7) }

const content = (mail: Mail) => `To: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}\n`

/** Names begin with the time, so that their order is that of the mails. */
const stamp = (millis: number) => new Date(millis).toISOString().replaceAll(":", "-")
const ours = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f-]{36}\.txt$/

/** Removes what is older than a week, and the oldest beyond 1,000. Other files are somebody's own. */
const sweep = Effect.fnUntraced(function* (folder: string) {
  const oldest = stamp((yield* Clock.currentTimeMillis) - Duration.toMillis(kept.time))
  yield* Effect.promise(async () => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => ours.test(name)).toSorted()
    const old = names.filter((name, index) => name < oldest || index < names.length - kept.most)
    await Promise.all(old.map((name) => rm(join(folder, name), { force: true })))
  })
})

/**
 * Puts mail into `{DATA_DIR}/mail`, one file each, where a developer reads it; the log says which file. The newest 1,000 are
 * kept, for a week.
 */
export const make = Effect.gen(function* () {
  const folder = join(yield* StateDirectory, "mail")
  const swept = Effect.catchCause(sweep(folder), (cause) =>
    Effect.logWarning("Old mail files could not be removed", cause)
  )
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

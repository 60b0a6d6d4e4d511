import { Clock, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { StateDirectory } from "../StateDirectory.ts"
import { type Mail, MailNotSent } from "./Mail.ts"

const content = (mail: Mail) => `To: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}\n`

/** Puts mail into `{DATA_DIR}/mail`, one file each, where a developer reads it; the log says which file. */
export const make = Effect.gen(function* () {
  const folder = join(yield* StateDirectory, "mail")
  return (mail: Mail): Effect.Effect<void, MailNotSent> =>
    Effect.gen(function* () {
      const at = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(":", "-")
      const file = join(folder, `${at}-${randomUUID()}.txt`)
      yield* Effect.tryPromise({
        try: async () => {
          await mkdir(folder, { recursive: true, mode: 0o700 })
          await writeFile(file, content(mail), { mode: 0o600 })
        },
        catch: (error) => new MailNotSent({ reason: String(error), permanent: false })
      })
      yield* Effect.logInfo(`Mail "${mail.subject}" for ${mail.to} is in ${file}`)
    })
})

import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as RunningService from "../support/RunningService.ts"

const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8")

/** What the README has newcomers paste, for a service on another port and without its requests to the internet. */
const walkAt = (port: string) => {
  const section = readme.split("\n## ").find((section) => section.startsWith("From sign-up")) ?? ""
  return [...section.matchAll(/```sh\n(.*?)```/gs)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .filter((line) => !line.includes("# with the internet"))
    .join("\n")
    .replaceAll("8080", port)
}

/** Pasted into a shell whose `sleep` does not wait: the output and the errors, in one. */
const paste = (text: string) =>
  Effect.callback<string>((resume) => {
    const env = { PATH: `${path.dirname(process.execPath)}:${process.env["PATH"]}` }
    const child = execFile("bash", { env, timeout: 90_000 }, (error, stdout) =>
      resume(error === null ? Effect.succeed(stdout) : Effect.die(new Error(`${error.message}\n${stdout}`)))
    )
    child.stdin?.end(`exec 2>&1\nsleep() { :; }\n${text}`)
  })

const count = (text: string, part: string) => text.split(part).length - 1

it.live(
  "the README's walk says that nothing answers before the service runs, works when it is pasted, and again when it is pasted again",
  () =>
    Effect.gen(function* () {
      const service = yield* RunningService.make
      const walk = walkAt(new URL(service.url).port)
      const alone = yield* paste(`(${walk}\n) || true`)
      assert.include(alone, `No answer from ${service.url.replace("127.0.0.1", "localhost")}/v1`)
      assert.notMatch(alone, /Error|undefined|^ +at /m)
      yield* service.start
      const output = yield* paste(`${walk}\n${walk}`)
      assert.strictEqual(count(output, "An account with this email exists"), 1, output)
      // The proxy answers, a month more is paid for, the mobile proxy is given back.
      for (const part of [`{"status":"ok"}`, `"previous_expires_at"`, "\ncancelled\n"])
        assert.strictEqual(count(output, part), 2, `${part} in ${output}`)
      assert.notMatch(output, /Error|undefined|^ +at /m)
    }),
  120_000
)

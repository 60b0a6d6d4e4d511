import { Effect, Exit, Scope } from "effect"
import { spawnSync } from "node:child_process"
import type { TestProject } from "vitest/node"
import * as RunningService from "../support/RunningService.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The service that the tests of a run share: its address, and its directory with the mails. */
    service: { readonly url: string; readonly directory: string }
  }
}

/** The tests of all files come from one address. */
const env = { AUTH_RATE_LIMIT_FACTOR: "1000", RATE_LIMIT_PER_MINUTE: "100000", PAYOUTS: "true" }

/** Ends the run with one line, before any test, if there is no Chromium. */
export default async (project: TestProject) => {
  if (spawnSync("which", ["chromium"]).status !== 0) {
    process.stderr.write(
      "These tests need Chromium: install it so that `which chromium` finds it (Debian: apt-get install chromium)\n"
    )
    process.exit(1)
  }
  const scope = Scope.makeUnsafe()
  // Browsers have no passkeys for IP addresses.
  const started = Effect.tap(RunningService.makeWith({ host: "localhost", env }), ({ start }) => start)
  const { directory, url } = await Effect.runPromise(Scope.provide(started, scope))
  project.provide("service", { directory, url })
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}

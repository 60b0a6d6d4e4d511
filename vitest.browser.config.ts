import { defineConfig } from "vitest/config"

/** Tests of the pages in a real browser. They run separately, because they need Chromium. */
export default defineConfig({
  // Retries once, because a browser may start slowly on a busy machine.
  test: {
    globalSetup: ["test/support/postgres.ts", "test/browser/setup.ts"],
    include: ["test/browser/*.browser.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The browsers and the service do most of the work in their own processes.
    maxWorkers: 2,
    retry: 1
  }
})

import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Modules are loaded once for each worker: half of the time would go into loading them again for every file.
    isolate: false,
    // One more than by default: workers wait for the database a good part of their time.
    maxWorkers: "100%",
    globalSetup: ["test/support/postgres.ts"],
    setupFiles: ["test/support/setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})

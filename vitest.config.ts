import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Modules are loaded once for each worker: half of the time would go into loading them again for every file.
    isolate: false,
    globalSetup: ["test/support/postgres.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})

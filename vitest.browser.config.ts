import { defineConfig } from "vitest/config"

/** The pages in a real browser, apart from the other tests: they need Chromium. */
export default defineConfig({
  // A browser that starts slowly on a busy machine gets a second chance.
  test: {
    globalSetup: "test/browser/setup.ts",
    include: ["test/browser/*.browser.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 1
  }
})

import { createHmac, timingSafeEqual } from "node:crypto"

/** What a form carries to show that it was made by this service, for this browser, for one purpose. */
export const make = (browser: string, purpose: string): string =>
  createHmac("sha256", browser).update(purpose).digest("hex")

export const isRight = (browser: string, purpose: string, given: string): boolean => {
  const expected = Buffer.from(make(browser, purpose))
  const actual = Buffer.from(given)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

import { createHmac, timingSafeEqual } from "node:crypto"

/** Makes the token that proves that this service made a form, for one browser and one purpose. */
export const make = (browser: string, purpose: string): string =>
  createHmac("sha256", browser).update(purpose).digest("hex")

export const isRight = (browser: string, purpose: string, given: string): boolean => {
  const expected = Buffer.from(make(browser, purpose))
  const actual = Buffer.from(given)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

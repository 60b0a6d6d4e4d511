import type { Answer } from "../vendors/VendorServer.ts"

/** The answer to a wrong key, a forbidden source address and too many calls. */
export const triple = ["Error api key", "IP not allowed 192.0.2.1", "Request limit reached"].map((message) => ({
  message,
  code: 503,
  customData: null
}))

export const success = (data: unknown): Answer => ({ body: { status: "success", data, errors: [] } })
export const failure = (errors: ReadonlyArray<object>, data: unknown = null): Answer => ({
  body: { status: "error", data, errors }
})
export const error = (message: string, code: number) => failure([{ message, code, customData: null }])

const two = (number: number) => String(number).padStart(2, "0")
/** A time as `31.12.2026 10:00:00`. */
export const dotted = (millis: number) => {
  const at = new Date(millis)
  return `${two(at.getUTCDate())}.${two(at.getUTCMonth() + 1)}.${at.getUTCFullYear()} ${at.toISOString().slice(11, 19)}`
}

import { Effect, Result, Schema } from "effect"
import { didYouMean } from "../platform/DidYouMean.ts"
import { faultsAt } from "../platform/errors/Faults.ts"
import type { BrandFault } from "./BrandFault.ts"
import { builtInAccent, card, contrast, isHex, leastContrast, type Shades } from "./Colours.ts"
import * as JsonFault from "./JsonFault.ts"

const Line = (most: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text: string) =>
        (text.trim() === text && text !== "" && text.length <= most && !/\p{Cc}/u.test(text)) ||
        `Expected one line of 1 to ${most} characters, without spaces at its ends`
    )
  )

const EmailAddress = Line(254).check(
  Schema.makeFilter(
    (text) => /^[\w.+-]+@[^\s@<>"?#%&/]+\.[^\s@<>"?#%&/]+$/.test(text) || "Expected an address such as help@example.com"
  )
)

const WebAddress = Line(500).check(
  Schema.makeFilter((text) => URL.parse(text)?.protocol === "https:" || "Expected an address that begins with https://")
)

const Accent = (mode: keyof Shades) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => isHex(text) || `Expected a hex colour such as ${builtInAccent[mode]}`).abort(),
    Schema.makeFilter((text) => {
      const found = contrast(text, card[mode])
      // Rounded down, so that the message never shows the limit itself.
      const shown = Math.floor(found * 100) / 100
      return (
        found >= leastContrast ||
        `${text} on ${card[mode]} has a contrast of ${shown}:1; text needs ${leastContrast}:1 (WCAG AA)`
      )
    })
  ).pipe(Schema.withDecodingDefaultKey(Effect.succeed(builtInAccent[mode])))

const unknownField = "is not a field of brand.json"

const Colours = Schema.Struct({ light: Accent("light"), dark: Accent("dark") }).annotate({
  messageUnexpectedKey: unknownField
})

/** The fields of `brand.json` (docs/brand.md). */
const BrandSettings = Schema.Struct({
  name: Line(40),
  /** True when the logo shows the name, so that pages do not write it beside the logo. */
  name_in_logo: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  support_email: Schema.optionalKey(EmailAddress),
  support_url: Schema.optionalKey(WebAddress),
  /** The sender of mails; `name` when there is no name. `MAIL_FROM` has priority. */
  sender_name: Schema.optionalKey(Line(70)),
  sender_email: Schema.optionalKey(EmailAddress),
  company: Schema.optionalKey(Line(200)),
  address: Schema.optionalKey(Line(300)),
  /** For the seller of invoices. */
  tax_number: Schema.optionalKey(Line(60)),
  accent: Colours.pipe(Schema.withDecodingDefaultKey(Effect.succeed({})))
}).annotate({ messageUnexpectedKey: unknownField })
export type BrandSettings = typeof BrandSettings.Type

export const builtInSettings: BrandSettings = {
  name: "Proxy Rental Service",
  name_in_logo: false,
  accent: builtInAccent
}

const decode = Schema.decodeUnknownResult(BrandSettings, { errors: "all", onExcessProperty: "error" })

const fields = [...Object.keys(BrandSettings.fields), ...Object.keys(Colours.fields).map((shade) => `accent.${shade}`)]

/** Says what is wrong with a field. */
const reasonOf = (path: ReadonlyArray<string | number>, message: string): string => {
  const name = path.join(".")
  if (message === unknownField) return `${name} ${message}${didYouMean(name, fields)}`
  return name === "" ? message : `${name}: ${message}`
}

/** Reads `brand.json`. */
export const parse = (file: string, text: string): Result.Result<BrandSettings, ReadonlyArray<BrandFault>> =>
  Result.try({
    try: () => JSON.parse(text) as unknown,
    catch: (error) => [{ file, ...JsonFault.of(text, error) }]
  }).pipe(
    Result.flatMap((json) =>
      Result.mapError(decode(json), ({ issue }) =>
        faultsAt(file, issue, Infinity).map(({ loc: [, ...path], msg }) => ({
          file,
          line: JsonFault.lineOf(text, path),
          reason: reasonOf(path, msg)
        }))
      )
    )
  )

import { DateTime } from "effect"
import * as LocalText from "../brand/LocalText.ts"
import type * as Money from "../platform/Money.ts"
import { type Content, type Html, html, localized, type Phrase } from "./Html.ts"

/** An amount in the currency's unit. */
export const money = (currency: Money.Currency, amount: bigint): Phrase => localized(LocalText.money(currency, amount))

/** An amount in micro-dollars. */
export const usd = (amount: bigint): Phrase => money("USD", amount)

export const number = (value: number): Phrase => localized((language) => language.number.format(value))

/** A decimal text of dollars. */
export const dollars = (decimal: string): Phrase =>
  localized((language) => language.dollars.format(decimal as `${number}`))

/** A share such as 0.25, in percent. */
export const percent = (share: number): Phrase => localized((language) => language.percent.format(share))

/** An amount of traffic; 1 GB is 10^9 bytes. Small amounts are in smaller units. */
export const gigabytes = (gb: number): Phrase => localized(LocalText.gigabytes(gb))

/** The name of a country by its code (ISO 3166-1, alpha-2). */
export const country = (code: string): Phrase => localized(LocalText.country(code))

/** Units of time, with their minutes. */
const units = [
  ["day", 1440],
  ["hour", 60]
] as const

/** The distance of a time, such as "in 6 days", rounded to the nearest unit: 30 days less a minute are 30 days. */
const away = (time: DateTime.Utc, now: DateTime.Utc): Phrase => {
  const minutes = Math.round((DateTime.toEpochMillis(time) - DateTime.toEpochMillis(now)) / 60_000)
  const [unit, size] = units.find(([, size]) => Math.abs(minutes) >= size) ?? (["minute", 1] as const)
  return localized(({ relative }) => relative.format(Math.round(minutes / size), unit))
}

const marked = (time: DateTime.Utc, shown: Content, attributes: Content = undefined): Html =>
  html`<time datetime="${DateTime.formatIso(time)}" ${attributes}>${shown}</time>`

/** A day, in UTC. */
export const date = (time: DateTime.Utc): Html =>
  marked(
    time,
    localized(({ day }) => day.format(DateTime.toDate(time)))
  )

/** A day without its year, in UTC. */
export const shortDay = (time: DateTime.Utc): Phrase =>
  localized((language) => language.shortDay.format(DateTime.toDate(time)))

/** A month of a year, in UTC. */
export const month = (time: DateTime.Utc): Phrase =>
  localized((language) => language.month.format(DateTime.toDate(time)))

/** An hour and a minute, in UTC. */
export const hour = (time: DateTime.Utc): Phrase => localized((language) => language.hour.format(DateTime.toDate(time)))

const inUtc = (time: DateTime.Utc): Phrase => localized(LocalText.minute(time))

/** A minute in UTC. A script shows it in the time zone of the browser. */
export const moment = (time: DateTime.Utc): Html => marked(time, inUtc(time), html` data-local`)

/** A time by its distance from now, with the time itself as a title. */
export const until = (time: DateTime.Utc, now: DateTime.Utc): Html =>
  marked(time, away(time, now), html` title="${inUtc(time)}"`)

import { DateTime } from "effect"
import * as Money from "../platform/Money.ts"
import { type Content, type Html, html, localized, type Phrase, text } from "./Html.ts"

/** An amount in the currency's unit. */
export const money = (currency: Money.Currency, amount: bigint): Phrase => {
  const decimal = Money.toDecimal(currency, amount)
  if (currency === "USD") return localized(({ dollars }) => dollars.format(decimal as `${number}`))
  const count = localized(({ number }) => number.format(amount))
  return amount === 1n ? text("payment.star", { count }) : text("payment.stars", { count })
}

/** An amount in micro-dollars. */
export const usd = (amount: bigint): Phrase => money("USD", amount)

export const number = (value: number): Phrase => localized((language) => language.number.format(value))

const sizes = [
  ["GB", 1],
  ["MB", 1e-3],
  ["kB", 1e-6]
] as const

/** An amount of traffic; 1 GB is 10^9 bytes. Small amounts are in smaller units. */
export const gigabytes = (gb: number): Phrase => {
  const [unit, size] = gb === 0 ? sizes[0] : (sizes.find(([, size]) => gb >= size) ?? (["B", 1e-9] as const))
  const amount = gb / size
  const rounded = amount < 100 ? Number(amount.toPrecision(3)) : Math.round(amount)
  return localized(({ number }) => `${number.format(rounded)} ${unit}`)
}

/** The name of a country by its code (ISO 3166-1, alpha-2). */
export const country = (code: string): Phrase =>
  localized((language) => (/^[a-z]{2}$/i.test(code) ? (language.country.of(code.toUpperCase()) ?? code) : code))

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

/** An hour and a minute, in UTC. */
export const hour = (time: DateTime.Utc): Phrase => localized((language) => language.hour.format(DateTime.toDate(time)))

const inUtc = (time: DateTime.Utc): Phrase => localized(({ minute }) => `${minute.format(DateTime.toDate(time))} UTC`)

/** A minute in UTC. A script shows it in the time zone of the browser. */
export const moment = (time: DateTime.Utc): Html => marked(time, inUtc(time), html` data-local`)

/** A time by its distance from now, with the time itself as a title. */
export const until = (time: DateTime.Utc, now: DateTime.Utc): Html =>
  marked(time, away(time, now), html` title="${inUtc(time)}"`)

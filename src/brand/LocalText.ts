import { DateTime } from "effect"
import * as Money from "../platform/Money.ts"
import type { Language } from "./Language.ts"
import { placeholder, type PlaceholderOf, type TextName } from "./PageTexts.ts"

/** A plain text, written in the language of its reader. */
export type LocalText = (language: Language) => string

type Values<N extends TextName> = [PlaceholderOf<N>] extends [never]
  ? readonly []
  : readonly [Readonly<Record<PlaceholderOf<N>, string | LocalText>>]

/** Names a text of the catalog, with the values of its placeholders. */
export const say =
  <N extends TextName>(name: N, ...values: Values<N>): LocalText =>
  (language) =>
    language.texts[name].replace(placeholder, (_, key: string) => {
      const value = (values[0] as Readonly<Record<string, string | LocalText>> | undefined)?.[key] ?? ""
      return typeof value === "string" ? value : value(language)
    })

/** Joins sentences. */
export const sentences =
  (...texts: ReadonlyArray<LocalText>): LocalText =>
  (language) =>
    texts.map((text) => text(language)).join(" ")

/** An amount in the currency's unit. */
export const money = (currency: Money.Currency, amount: bigint): LocalText => {
  if (currency === "USD") return ({ dollars }) => dollars.format(Money.toDecimal(currency, amount) as `${number}`)
  const count: LocalText = ({ number }) => number.format(amount)
  return amount === 1n ? say("payment.star", { count }) : say("payment.stars", { count })
}

/** An amount of traffic; 1 GB is 10^9 bytes. Amounts below 1 GB are in MB. */
export const gigabytes =
  (gb: number): LocalText =>
  ({ number }) => {
    if (gb !== 0 && gb < 1) return `${number.format(Number((gb * 1000).toPrecision(3)))} MB`
    return `${number.format(gb >= 100 ? Math.round(gb) : Number(gb.toPrecision(3)))} GB`
  }

/** The name of a country by its code (ISO 3166-1, alpha-2). */
export const country =
  (code: string): LocalText =>
  (language) =>
    /^[a-z]{2}$/i.test(code) ? (language.country.of(code.toUpperCase()) ?? code) : code

/** A minute, in UTC. */
export const minute =
  (time: DateTime.Utc): LocalText =>
  (language) =>
    `${language.minute.format(DateTime.toDate(time))} UTC`

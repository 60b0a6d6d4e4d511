/** Proxy-Seller's sections that sell single proxies. */
export const sections = ["ipv4", "isp", "ipv6", "mobile"] as const
export type Section = (typeof sections)[number]

/** The service, operator and rotation of a mobile proxy. */
interface Line {
  /** `dedicated` or `shared`. */
  readonly service: string
  readonly operator: string
  /** Minutes between two rotations; 0 rotates by link. */
  readonly rotation: number
}

/** An article without its period. */
export interface Goods {
  readonly section: Section
  /** ISO 3166-1 alpha-3. */
  readonly country: string
  /** Null for all sections but `mobile`. */
  readonly line: Line | null
}

const isSection = (text: string): text is Section => sections.some((section) => section === text)

/** Writes the external id of an offer. */
export const nameOf = ({ country, line, section }: Goods): string =>
  [section, country, ...(line === null ? [] : [line.service, line.rotation, line.operator])]
    .map((part) => encodeURIComponent(part))
    .join(":")

/** Writes the article of an option: the external id and one of the vendor's periods. */
export const withPeriod = (goods: string, period: string): string => `${goods}:${encodeURIComponent(period)}`

/** Reads an article. Undefined: malformed. */
export const parse = (article: string): { readonly goods: Goods; readonly period: string } | undefined => {
  const parts = article.split(":").map(decodeURIComponent)
  const [section = "", country = "", ...rest] = parts
  const period = rest.pop()
  if (!isSection(section) || country === "" || period === undefined) return undefined
  if (section !== "mobile") return rest.length === 0 ? { goods: { section, country, line: null }, period } : undefined
  const [service, rotation, operator] = rest
  if (service === undefined || operator === undefined || rest.length !== 3) return undefined
  return { goods: { section, country, line: { service, operator, rotation: Number(rotation) } }, period }
}

const units = { d: { days: 1, noun: "day" }, w: { days: 7, noun: "week" }, m: { days: 30, noun: "month" } } as const

/** A period as a catalog option states it. */
export interface Period {
  readonly period_days: number
  readonly period_months: number
  readonly period_name: string
}

/** Reads a period such as `1m`. Undefined: not for sale. */
export const parsePeriod = (id: string): Period | undefined => {
  const [, digits = "", letter = ""] = /^([1-9]\d?)([dwm])$/.exec(id) ?? []
  if (letter !== "d" && letter !== "w" && letter !== "m") return undefined
  const count = Number(digits)
  const { days, noun } = units[letter]
  return {
    period_days: count * days,
    period_months: letter === "m" ? count : 0,
    period_name: `${count} ${noun}${count === 1 ? "" : "s"}`
  }
}

/** Writes the vendor's period. The vendor refuses a period that it does not sell. */
export const periodOf = (time: { readonly period_days: number; readonly period_months: number }): string => {
  if (time.period_months > 0) return `${time.period_months}m`
  return time.period_days % 7 === 0 ? `${time.period_days / 7}w` : `${time.period_days}d`
}

/** Builds the body of a price calculation or an order. */
export const orderBody = ({ country, line, section }: Goods, period: string, purpose: string, isSocks: boolean) => ({
  sectionCode: section,
  countryId: country,
  periodId: period,
  quantity: 1,
  paymentCode: "balance",
  ...(section !== "mobile" && { customTargetName: purpose }),
  ...(section === "ipv6" && { protocol: isSocks ? "SOCKS5" : "HTTPS" }),
  ...(line !== null && { mobileServiceType: line.service, operatorId: line.operator, rotationId: line.rotation })
})

import { alpha2ByAlpha3 } from "../../platform/fields/Country.ts"

const english = new Intl.DisplayNames(["en"], { type: "region" })

/** The English name of a country. */
export const nameOf = (alpha2: string): string => english.of(alpha2) ?? alpha2

const folded = (name: string) =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("&", "and")
    .replace(/[^a-z]+/g, " ")
    .trim()

/** Names that vendors use and that Unicode does not list. */
const otherNames = {
  usa: "US",
  "united states of america": "US",
  uk: "GB",
  "great britain": "GB",
  england: "GB",
  "czech republic": "CZ",
  turkey: "TR",
  "hong kong": "HK",
  macau: "MO",
  macao: "MO",
  "russian federation": "RU",
  "republic of korea": "KR",
  korea: "KR",
  uae: "AE",
  "viet nam": "VN",
  "ivory coast": "CI",
  bosnia: "BA",
  macedonia: "MK",
  burma: "MM",
  moldova: "MD",
  taiwan: "TW"
}

const alpha2ByName = new Map([
  ...[...alpha2ByAlpha3.values()].map((code) => [folded(nameOf(code)), code] as const),
  ...Object.entries(otherNames)
])

/** Converts an alpha-3 code to alpha-2. Undefined: the code is unknown. */
export const fromAlpha3 = (alpha3: string): string | undefined => alpha2ByAlpha3.get(alpha3.toUpperCase())

/** Finds the alpha-2 code of a country by its English name. Undefined: the name is unknown. */
export const fromName = (name: string): string | undefined => alpha2ByName.get(folded(name))

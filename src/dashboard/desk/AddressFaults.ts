import { type Content, html, type Phrase, text } from "../../pages/Html.ts"

/** The wrong entries that a page names, and the characters that it shows of each. */
const namedAtMost = 5
const shownCharacters = 60

interface Rules {
  readonly most: number
  /** True for an entry that the service takes. */
  readonly isRight: (entry: string) => boolean
  /** The service takes networks, such as `192.0.2.0/24`, too. */
  readonly hasNetworks: boolean
  /** Says what can be entered, and how many. */
  readonly rule: Phrase
}

interface Entry {
  readonly line: number
  readonly entry: string
}

const entriesOf = (typed: string): ReadonlyArray<Entry> =>
  typed
    .split("\n")
    .flatMap((line, index) => line.split(/[\s,;]+/).map((entry) => ({ line: index + 1, entry })))
    .filter(({ entry }) => entry !== "")

const wrongText = ({ hasNetworks }: Rules, { entry, line }: Entry): Phrase => {
  const said = { line, entry: entry.slice(0, shownCharacters) }
  if (hasNetworks) return text("desk.address_or_network_wrong", said)
  return entry.includes("/") ? text("desk.address_is_network", said) : text("desk.address_wrong", said)
}

/** Says what is wrong with a list of addresses: each wrong entry with its line, or that there are too many. */
export const addressFaults =
  (rules: Rules) =>
  (typed: string): Content => {
    const entries = entriesOf(typed)
    if (entries.length > rules.most)
      return html`${text("desk.addresses_too_many", { count: entries.length })} ${rules.rule}`
    const wrong = entries.filter(({ entry }) => !rules.isRight(entry))
    if (wrong.length === 0) return rules.rule
    const named = wrong.slice(0, namedAtMost).map((entry, index) => html`${index > 0 && " "}${wrongText(rules, entry)}`)
    const others = wrong.length - named.length
    return html`${named}${others > 0 && html` ${text("desk.addresses_wrong_too", { count: others })}`}`
  }

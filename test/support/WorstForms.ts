import * as FormToken from "../../src/pages/FormToken.ts"
import { addressOf, formFields, purposeOf } from "../dashboard/FormFieldsTable.ts"
import { worstFields, worstForms } from "./WorstBodies.ts"
import type { WorstRequest } from "./WorstRequests.ts"

/** A signed-in person in a browser, and what the person owns. */
interface Sender {
  readonly cookies: ReadonlyMap<string, string>
  readonly user_id: string
  readonly ids: Readonly<Record<string, string>>
  /** The end of the proxy `order_id`. */
  readonly ends: string
}

/**
 * The worst forms of each page of the dashboard, in `size` bytes each: with its token one bad field beside right ones, and
 * without it many fields. Generated one by one, because together they exceed the memory.
 */
export function* worstPageForms(sender: Sender, size: number): Generator<WorstRequest> {
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    cookie: [...sender.cookies].map((pair) => pair.join("=")).join("; "),
    origin: "null",
    "sec-fetch-site": "same-origin"
  }
  const browser = sender.cookies.get("browser") ?? ""
  for (const [route, row] of Object.entries(formFields)) {
    const url = addressOf(route, sender)
    const form = (what: string, body: string) => ({ name: `${route} ${what}`, method: "POST", url, headers, body })
    const fields = Object.entries(row.fields(sender))
    for (const [what, body] of worstForms(size)) yield form(what, body)
    for (const [name] of fields) {
      const others = fields.flatMap(([other, filled]) =>
        other === name ? [] : [filled].flat().map((text): [string, string] => [other, text])
      )
      const token = FormToken.make(browser, purposeOf(route, sender))
      const right = new URLSearchParams([...others, ["form_token", token]]).toString()
      for (const [what, body] of worstFields(name, size - right.length - 1)) yield form(what, `${right}&${body}`)
    }
  }
}

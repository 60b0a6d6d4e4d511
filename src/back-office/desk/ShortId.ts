import { type Html, html } from "../../pages/Html.ts"

/** The last characters of an id: the first ones are the same for records of one day. */
export const shortId = (id: string): Html => html`<code>…${id.slice(-8)}</code>`

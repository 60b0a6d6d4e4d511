/** Markup that is safe to send: made by `escaped` only. */
class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
export type { Html }

type Interpolated = Html | string | number | ReadonlyArray<Html>

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

const render = (value: Interpolated): string =>
  value instanceof Html
    ? value.text
    : typeof value === "object"
      ? value.map(render).join("")
      : String(value).replace(/[&<>"']/g, (character) => entities[character] ?? "")

/** Markup from a template; whatever is put into it is text, escaped, unless it is markup itself. */
export const escaped = (strings: TemplateStringsArray, ...values: ReadonlyArray<Interpolated>): Html =>
  new Html(String.raw({ raw: strings }, ...values.map(render)))

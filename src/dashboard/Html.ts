/** Markup that is safe to send. Only `escaped` makes it. */
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

/** Builds markup from a template. Escapes every value that is not markup. */
export const escaped = (strings: TemplateStringsArray, ...values: ReadonlyArray<Interpolated>): Html =>
  new Html(String.raw({ raw: strings }, ...values.map(render)))

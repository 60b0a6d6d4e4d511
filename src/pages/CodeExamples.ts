import { copyButton } from "./Copying.ts"
import { type Html, html } from "./Html.ts"

interface CodeExample {
  /** The language or the program, such as `curl`. */
  readonly name: string
  readonly code: string
}

/** Examples of code that a reader opens one at a time, each with a button that copies it. `group` is unique on its page. */
export const codeExamples = (group: string, examples: ReadonlyArray<CodeExample>, isFirstOpen = true): Html =>
  html`${examples.map(
    ({ code, name }, index) =>
      html`<details name="${group}" ${isFirstOpen && index === 0 && html` open`}>
        <summary>${name}</summary>
        <div class="example">
          <pre id="${group}-${index}">${code}</pre>
          ${copyButton(`${group}-${index}`, name)}
        </div>
      </details>`
  )}`

import { type Content, type Html, html } from "../../pages/Html.ts"

interface Question {
  /** The words of the button that opens the question. */
  readonly button: Content
  readonly title: Content
  readonly about: Content
  /** The words of the button that closes the question. */
  readonly keep: Content
  /** The class of the button that opens the question. */
  readonly className?: string
}

/**
 * A button that opens a question before `form` is sent. The question takes the focus to its harmless button, and gives
 * it back. It works without scripts.
 */
export const question = (
  id: string,
  { about, button, className = "danger", keep, title }: Question,
  form: Html
): Html =>
  html`<button type="button" class="${className}" popovertarget="${id}">${button}</button>
    <div id="${id}" class="card" popover role="dialog" aria-labelledby="${id}-title">
      <h2 id="${id}-title">${title}</h2>
      <p>${about}</p>
      <div class="row">
        <button type="button" popovertarget="${id}" popovertargetaction="hide" autofocus>${keep}</button>
        ${form}
      </div>
    </div>`

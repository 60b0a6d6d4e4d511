import { copyButton } from "../../pages/Copying.ts"
import { type Html, html, text } from "../../pages/Html.ts"
import { signatureExamples } from "./SignatureExamples.ts"

const languages = { node: "Node.js", python: "Python", php: "PHP" } as const

const example = (language: keyof typeof languages): Html =>
  html`<details name="verify">
    <summary>${languages[language]}</summary>
    <div class="example">
      <pre id="verify-${language}">${signatureExamples[language]}</pre>
      ${copyButton(`verify-${language}`, languages[language])}
    </div>
  </details>`

/** Tells how a receiver verifies the signature of a request. */
export const signatureGuide: Html = html`<section class="card stack" aria-labelledby="verify">
  <h2 id="verify">${text("webhooks.verify_title")}</h2>
  <p>${text("webhooks.verify_about")}</p>
  <p>
    ${text("webhooks.verify_scheme", {
      signature: html`<code>X-Service-Signature</code>`,
      alternate: html`<code>X-Service-Signature-Alternate</code>`,
      version: html`<code>v1=</code>`,
      prefix: html`<code>whsec_</code>`,
      signed: html`<code>{X-Service-Timestamp}.{X-Service-Delivery-Id}.{${text("webhooks.verify_digest")}}</code>`
    })}
  </p>
  ${(["node", "python", "php"] as const).map(example)}
  <p>${text("webhooks.verify_once")}</p>
</section>`

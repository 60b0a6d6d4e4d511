import { codeExamples } from "../../pages/CodeExamples.ts"
import { type Html, html, text } from "../../pages/Html.ts"
import { signatureExamples } from "./SignatureExamples.ts"

const examples = [
  { name: "Node.js", code: signatureExamples.node },
  { name: "Python", code: signatureExamples.python },
  { name: "PHP", code: signatureExamples.php }
]

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
  ${codeExamples("code", examples, false)}
  <p>${text("webhooks.verify_once")}</p>
</section>`

import { copyLine } from "../../pages/Copying.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { type Contacts, supportLinks } from "../../pages/SupportLink.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { keyPlaceholder, programExamples } from "../desk/ProgramExamples.ts"
import type { Visit } from "../desk/Visit.ts"
import { guideList } from "./GuidePages.ts"
import type { ServiceStatus } from "./ServiceStatus.ts"
import { statusParts } from "./StatusPage.ts"

interface Help {
  readonly base_url: string
  readonly docs_url: string
  readonly brand: Contacts
  readonly status: ServiceStatus
}

const firstSteps = ({ pathTo, user }: Visit): Html =>
  html`<section class="card" aria-labelledby="first">
    <h2 id="first">${text("overview.first_title")}</h2>
    <ol class="text">
      ${!user.email_verified && html`<li><a href="${pathTo("email")}">${text("overview.first_verify")}</a></li>`}
      <li><a href="${pathTo("wallet/top-up")}">${text("help.step_top_up")}</a></li>
      <li><a href="${pathTo("shop")}">${text("help.step_buy")}</a></li>
      <li><a href="${pathTo("proxies")}">${text("help.step_use")}</a></li>
      <li><a href="${pathTo("keys")}">${text("overview.first_key")}</a></li>
    </ol>
  </section>`

const examples = ({ pathTo }: Visit, base_url: string): Html =>
  html`<section class="card stack" aria-labelledby="examples">
    <h2 id="examples">${text("help.examples_title")}</h2>
    <p>
      ${text("help.examples_about", {
        placeholder: html`<code>${keyPlaceholder}</code>`,
        keys: html`<a href="${pathTo("keys")}">${text("keys.title")}</a>`
      })}
    </p>
    <div>
      <p class="quiet">${text("help.base_url")}</p>
      ${copyLine("base-url", text("help.base_url"), base_url)}
    </div>
    ${programExamples(base_url, keyPlaceholder)}
  </section>`

const support = (links: ReadonlyArray<Html>): Content =>
  links.length > 0 &&
  html`<section class="card stack" aria-labelledby="support">
    <h2 id="support">${text("help.support_title")}</h2>
    <p>${text("help.support_about", { header: html`<code>X-Request-Id</code>` })}</p>
    <ul class="stack">
      ${links.map((link) => html`<li>${link}</li>`)}
    </ul>
  </section>`

/** Where a customer finds help: first steps, examples, guides, the support, and the state of the service. */
export const helpPage = (visit: Visit, { base_url, brand, docs_url, status }: Help): Page =>
  deskPage(
    visit,
    { title: text("desk.help"), section: "help" },
    html`${firstSteps(visit)} ${examples(visit, base_url)}
      <section class="card" aria-labelledby="guides">
        <h2 id="guides">${text("guides.title")}</h2>
        ${guideList(docs_url)}
      </section>
      ${support(supportLinks(brand))}
      <section class="card stack" aria-labelledby="status">
        <h2 id="status">${text("status.title")}</h2>
        ${statusParts(status)}
      </section>`
  )

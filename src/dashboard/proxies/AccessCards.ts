import { isMobileRotating } from "../../orders/Order.ts"
import { isLive } from "../../orders/OrderStatus.ts"
import { area, hidden, select } from "../../pages/Field.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import { question } from "../desk/Question.ts"
import type { Visit } from "../desk/Visit.ts"
import { fact, type Shown, valueOf } from "./Shown.ts"

const addresses = ({ form }: Visit, path: string, shown: Shown): Html => {
  const isMobile = isMobileRotating(shown.order)
  return form(
    `${path}/${isMobile ? "addresses" : "whitelist"}`,
    html`${area({
        name: "whitelisted_ips",
        label: text("proxies.addresses"),
        hint: text("proxies.addresses_hint"),
        value: valueOf(shown, "whitelisted_ips", shown.order.whitelisted_ips.join("\n")),
        error: shown.faults?.["whitelisted_ips"],
        optional: true
      })}
      <div><button>${text("proxies.addresses_button")}</button></div>`,
    { class: "stack" }
  )
}

const protocol = ({ form }: Visit, path: string, { order }: Shown): Html => {
  const other = order.protocol === "SOCKS5" ? "HTTP" : "SOCKS5"
  const button = text("proxies.protocol_button", { protocol: other })
  return html`<div>
    ${question(
      "ask-protocol",
      {
        button,
        title: text("proxies.protocol_ask_title", { protocol: other }),
        about: text("proxies.protocol_about", { protocol: other }),
        keep: text("proxies.keep_as_is_button"),
        className: ""
      },
      form(`${path}/protocol`, html`${hidden("protocol", other)} <button class="danger">${button}</button>`)
    )}
  </div>`
}

const logins = ({ form }: Visit, path: string, shown: Shown): Html =>
  html`<div>
      ${question(
        "ask-password",
        {
          button: text("proxies.password_button"),
          title: text("proxies.password_ask_title"),
          about: text("proxies.password_about"),
          keep: text("proxies.keep_as_is_button"),
          className: ""
        },
        form(`${path}/password`, html`<button class="danger">${text("proxies.password_confirm_button")}</button>`)
      )}
    </div>
    ${form(
      `${path}/logins`,
      html`${area({
          name: "logins",
          label: text("proxies.logins"),
          hint: text("proxies.logins_hint"),
          value: valueOf(shown, "logins", ""),
          error: shown.faults?.["logins"]
        })}
        <div><button>${text("proxies.logins_button")}</button></div>`,
      { class: "stack" }
    )}`

/** Who may use a proxy, and how. */
export const accessCard = (visit: Visit, path: string, shown: Shown): Content =>
  isLive(shown.order.proxy_status) &&
  html`<section class="card stack" aria-labelledby="access">
    <h2 id="access">${text("proxies.access")}</h2>
    ${addresses(visit, path, shown)} ${logins(visit, path, shown)} ${protocol(visit, path, shown)}
  </section>`

/** The exit address and the device signature of a mobile rotating proxy. */
export const mobileCard = ({ form }: Visit, path: string, shown: Shown): Content => {
  const { current_ip, signature } = shown.mobile
  return (
    isMobileRotating(shown.order) &&
    isLive(shown.order.proxy_status) &&
    html`<section class="card stack" aria-labelledby="mobile">
      <h2 id="mobile">${text("proxies.mobile")}</h2>
      <dl class="facts">
        ${fact(text("proxies.exit"), current_ip === null ? text("proxies.not_known") : html`<code>${current_ip}</code>`)}
      </dl>
      ${form(
        `${path}/rotate`,
        html`<p class="hint">${text("proxies.rotate_about")}</p>
          <div><button>${text("proxies.rotate_button")}</button></div>`,
        { class: "stack" }
      )}
      ${
        shown.signatures.length > 0 &&
        form(
          `${path}/signature`,
          html`${select({
              name: "signature",
              label: text("proxies.signature"),
              hint: text("proxies.signature_hint"),
              error: shown.faults?.["signature"],
              value: valueOf(shown, "signature", signature ?? ""),
              options: [
                // No device looks chosen while the device is not known.
                ...(signature === null ? [["", text("proxies.not_known")] as const] : []),
                ...shown.signatures.map((name) => [name, name] as const)
              ]
            })}
            <div><button>${text("proxies.signature_button")}</button></div>`,
          { class: "stack" }
        )
      }
    </section>`
  )
}

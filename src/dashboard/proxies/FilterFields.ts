import type { Content, Html } from "../../pages/Html.ts"
import { select } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { kindText } from "../desk/ProxyText.ts"

interface Given {
  readonly value?: string | undefined
  readonly error?: Content
  /** A script sends the form as soon as another entry is chosen. */
  readonly submits?: boolean
}

export const kindField = (given: Given): Html =>
  select({
    ...given,
    name: "proxy_type",
    label: text("proxies.kind"),
    options: [
      ["", text("proxies.all")],
      ["datacenter", kindText.datacenter],
      ["residential", kindText.residential],
      ["mobile", kindText.mobile]
    ]
  })

export const sortField = (given: Given): Html =>
  select({
    ...given,
    name: "sort",
    label: text("proxy_list.sort"),
    options: [
      ["created_at", text("proxy_list.sort_created")],
      ["expires_at", text("proxy_list.sort_end")],
      ["name", text("proxy_list.sort_name")]
    ]
  })

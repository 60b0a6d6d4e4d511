import { country, date, moment, money } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import { table } from "../../pages/Table.ts"
import type {
  AppRecord,
  EntryRecord,
  KeyRecord,
  NoticeRecord,
  OrderRecord,
  PaymentRecord,
  SessionRecord
} from "../../staff/customers/CustomerRecord.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { shortId } from "../desk/ShortId.ts"
import { entryState, entryType, methodText, orderState, paymentState, proxyText } from "../desk/StateText.ts"

/** Shows records of a customer, each on a row. */
export type RecordTable<A> = (visit: AdminVisit, items: ReadonlyArray<A>) => Html

type Time = OrderRecord["created_at"]

const orNever = (time: Time | null): Content => (time === null ? text("admin.never") : moment(time))

const orderLink = ({ pathTo }: AdminVisit, id: string | null): Content =>
  id !== null && html`<a href="${pathTo(`orders/${id}`)}">${text("customer.order")} ${shortId(id)}</a>`

export const orderTable: RecordTable<OrderRecord> = (visit, items) =>
  table<OrderRecord>(
    [
      {
        head: text("customer.order"),
        as: "name",
        cell: ({ country: code, id, ip_version, provider, proxy_type }) =>
          html`${orderLink(visit, id)}
            <small><code>${provider} ${proxy_type} ${ip_version}</code> ${country(code)}</small>`
      },
      {
        head: text("admin.state"),
        label: text("admin.state"),
        cell: ({ proxy_status, status }) => html`${orderState(status)} <small>${proxyText[proxy_status]}</small>`
      },
      {
        head: text("customer.address"),
        label: text("customer.address"),
        cell: ({ host, port }) => host !== null && html`<code>${host}:${port ?? ""}</code>`
      },
      {
        head: text("customer.created"),
        label: text("customer.created"),
        cell: ({ created_at }) => moment(created_at)
      },
      {
        head: text("customer.ends"),
        label: text("customer.ends"),
        cell: ({ expires_at }) => expires_at !== null && moment(expires_at)
      },
      {
        head: text("customer.price"),
        label: text("customer.price"),
        as: "number",
        cell: ({ currency, total }) => money(currency, total)
      }
    ],
    items
  )

export const entryTable: RecordTable<EntryRecord> = (visit, items) =>
  table<EntryRecord>(
    [
      {
        head: text("customer.entry"),
        as: "name",
        cell: (entry) =>
          html`<b>${entryType(entry)}</b> ${entryState(entry.status)} <small>${entry.description}</small>`
      },
      {
        head: text("customer.reference"),
        label: text("customer.reference"),
        cell: ({ external_id, order_id, payment_method }) => [
          orderLink(visit, order_id),
          html` ${payment_method !== null && methodText(payment_method)}`,
          external_id !== null && html` <small><code>${external_id}</code></small>`
        ]
      },
      { head: text("admin.time"), label: text("admin.time"), cell: ({ created_at }) => moment(created_at) },
      {
        head: text("customer.amount"),
        label: text("customer.amount"),
        as: "number",
        cell: ({ amount, currency }) => money(currency, amount)
      },
      {
        head: text("customer.balance_after"),
        label: text("customer.balance_after"),
        as: "number",
        cell: ({ balance_after, currency }) => balance_after !== null && money(currency, balance_after)
      }
    ],
    items
  )

export const paymentTable: RecordTable<PaymentRecord> = (_visit, items) =>
  table<PaymentRecord>(
    [
      {
        head: text("customer.payment"),
        as: "name",
        cell: ({ id, payment_method }) => html`<b>${methodText(payment_method)}</b> <small><code>${id}</code></small>`
      },
      { head: text("admin.state"), label: text("admin.state"), cell: ({ status }) => paymentState(status) },
      {
        head: text("customer.reference"),
        label: text("customer.reference"),
        cell: ({ charges, external_reference }) =>
          [...new Set([external_reference, ...charges])].map(
            (id) => id !== null && html`<small><code>${id}</code></small> `
          )
      },
      { head: text("customer.created"), label: text("customer.created"), cell: ({ created_at }) => moment(created_at) },
      {
        head: text("customer.amount"),
        label: text("customer.amount"),
        as: "number",
        cell: ({ amount, currency }) => money(currency, amount)
      }
    ],
    items
  )

export const keyTable: RecordTable<KeyRecord> = (_visit, items) =>
  table<KeyRecord>(
    [
      {
        head: text("admin.name"),
        as: "name",
        cell: ({ name, prefix }) => html`<b>${name}</b> <code>${prefix}…</code>`
      },
      {
        head: text("customer.allowed"),
        label: text("customer.allowed"),
        cell: ({ allowed_ips, daily_spend_limit_usd: limit, scopes }) =>
          html`${scopes === null ? text("customer.everything") : scopes.join(", ")}
            <small
              >${limit !== null && text("customer.daily_limit", { amount: money("USD", limit) })}
              ${(allowed_ips ?? []).join(", ")}</small
            >`
      },
      { head: text("customer.created"), label: text("customer.created"), cell: ({ created_at }) => date(created_at) },
      {
        head: text("admin.last_used"),
        label: text("admin.last_used"),
        cell: ({ last_used_at }) => orNever(last_used_at)
      },
      {
        head: text("admin.expires"),
        label: text("admin.expires"),
        cell: ({ expires_at }) => (expires_at === null ? text("admin.never") : date(expires_at))
      }
    ],
    items
  )

export const sessionTable: RecordTable<SessionRecord> = (_visit, items) =>
  table<SessionRecord>(
    [
      {
        head: text("customer.device"),
        as: "name",
        cell: ({ user_agent }) => html`<small>${user_agent ?? text("customer.unknown_device")}</small>`
      },
      {
        head: text("customer.address"),
        label: text("customer.address"),
        cell: ({ address }) => address !== null && html`<code>${address}</code>`
      },
      { head: text("admin.since"), label: text("admin.since"), cell: ({ created_at }) => moment(created_at) },
      {
        head: text("admin.last_used"),
        label: text("admin.last_used"),
        cell: ({ last_used_at }) => orNever(last_used_at)
      },
      { head: text("admin.expires"), label: text("admin.expires"), cell: ({ expires_at }) => moment(expires_at) }
    ],
    items
  )

export const appTable: RecordTable<AppRecord> = (_visit, items) =>
  table<AppRecord>(
    [
      {
        head: text("customer.app"),
        as: "name",
        cell: ({ client_id, is_verified, name }) =>
          html`<b><bdi>${name}</bdi></b>
            ${!is_verified && html`<span class="mark">${text("customer.app_unverified")}</span>`}
            <small><code>${client_id}</code></small>`
      },
      { head: text("customer.allowed"), label: text("customer.allowed"), cell: ({ scopes }) => scopes.join(", ") },
      { head: text("admin.since"), label: text("admin.since"), cell: ({ created_at }) => moment(created_at) },
      {
        head: text("admin.last_used"),
        label: text("admin.last_used"),
        cell: ({ last_used_at }) => orNever(last_used_at)
      },
      {
        head: text("admin.expires"),
        label: text("admin.expires"),
        cell: ({ expires_at, revoked_at, revoked_reason }) =>
          revoked_at === null
            ? moment(expires_at)
            : html`<span class="mark">${text("customer.app_ended")}</span> ${moment(revoked_at)}
                <small><code>${revoked_reason ?? ""}</code></small>`
      }
    ],
    items
  )

export const noticeTable: RecordTable<NoticeRecord> = (visit, items) =>
  table<NoticeRecord>(
    [
      {
        head: text("customer.notice"),
        as: "name",
        cell: ({ kind, message }) => html`<small>${message}</small> <small><code>${kind}</code></small>`
      },
      {
        head: text("customer.order"),
        label: text("customer.order"),
        cell: ({ order_id }) => orderLink(visit, order_id)
      },
      { head: text("admin.time"), label: text("admin.time"), cell: ({ created_at }) => moment(created_at) },
      {
        head: text("customer.read"),
        label: text("customer.read"),
        cell: ({ read_at }) => (read_at === null ? text("customer.unread") : moment(read_at))
      }
    ],
    items
  )

import { type Faults, field } from "../../pages/Field.ts"
import { moment, number } from "../../pages/Format.ts"
import { type Content, html, localized, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { may } from "../../staff/Actor.ts"
import { type TodoCount, type TodoItem, type TodoKind, todoKinds } from "../../staff/todo/Todo.ts"
import { todoText } from "../../staff/todo/TodoText.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"

export interface ShownTodo {
  readonly kind: TodoKind | undefined
  readonly counts: ReadonlyArray<TodoCount>
  readonly items: ReadonlyArray<TodoItem>
  readonly notice?: Content
}

interface Typed {
  readonly faults?: Faults
  readonly reason?: string | undefined
}

const titleOf = (kind: TodoKind) => localized(todoText[kind][0])
const adviceOf = (kind: TodoKind) => localized(todoText[kind][1])

const tabs = ({ pathTo }: AdminVisit, { counts, kind }: ShownTodo): Content => {
  const tab = (label: Content, count: number, one?: TodoKind) =>
    html`<a href="${pathTo("todo")}${one !== undefined && `?kind=${one}`}" ${one === kind && html` aria-current="page"`}
      >${label} <span>${number(count)}</span></a
    >`
  const all = counts.reduce((sum, { count }) => sum + count, 0)
  return html`<nav class="tabs" aria-label="${text("todo.kinds")}">
    ${tab(text("todo.all"), all)} ${counts.map(({ count, kind }) => tab(titleOf(kind), count, kind))}
  </nav>`
}

const link = (path: string, id: string) => html`<a href="${path}"><code>${id}</code></a>`

const about = ({ pathTo }: AdminVisit, { kind, order_id, user_id }: TodoItem): Content => [
  order_id !== null &&
    html`<small>${text("todo.order", { id: link(pathTo(`orders/${order_id}`), order_id) })}</small> `,
  user_id !== null &&
    html`<small>${text("todo.customer", { id: link(pathTo(`customers/${user_id}`), user_id) })}</small> `,
  (kind === "credit_request" || kind === "refund_request") &&
    html`<small><a href="${pathTo("requests")}">${text("admin.requests")}</a></small>`
]

const row = (visit: AdminVisit, item: TodoItem): Content => {
  const { actor, pathTo } = visit
  const { detail, id, kind, since } = item
  return html`<li class="card stack">
    <div class="bar">
      <b>${titleOf(kind)}</b>
      <small>${text("todo.since")} ${moment(since)}</small>
    </div>
    <p><bdi>${detail}</bdi></p>
    <p class="quiet">${adviceOf(kind)}</p>
    <p>${about(visit, item)}</p>
    ${
      todoKinds[kind].isByHand &&
      may(actor, "todo.settle") &&
      may(actor, todoKinds[kind].permission) &&
      html`<p><a class="button small" href="${pathTo(`todo/${kind}/${id}`)}">${text("todo.settle_button")}</a></p>`
    }
  </li>`
}

/** One item, with the form by which a person says that it is settled. */
export const settlePage = (visit: AdminVisit, item: TodoItem, typed: Typed = {}): Page => {
  const { form, pathTo } = visit
  const { faults = {}, reason } = typed
  return adminPage(
    visit,
    { title: titleOf(item.kind), section: "todo", back: [pathTo("todo"), text("todo.title")], faults },
    html`<section class="card stack">
      <p><bdi>${item.detail}</bdi></p>
      <p class="quiet">${adviceOf(item.kind)}</p>
      <p>${about(visit, item)}</p>
      ${form(
        pathTo(`todo/${item.kind}/${item.id}`),
        html`<div class="stack">
          ${field({ name: "reason", label: text("todo.reason"), hint: text("admin.reason_hint"), autocomplete: "off", value: reason, error: faults["reason"] })}
          <div><button class="primary">${text("todo.settle_button")}</button></div>
        </div>`
      )}
    </section>`
  )
}

/** The list of items that wait for a person. */
export const todoPage = (visit: AdminVisit, shown: ShownTodo): Page => {
  const { counts, items, kind, notice } = shown
  const total = counts.reduce((sum, one) => sum + (kind === undefined || one.kind === kind ? one.count : 0), 0)
  return adminPage(
    visit,
    { title: text("todo.title"), section: "todo", lead: text("todo.lead"), ...(notice !== undefined && { notice }) },
    html`${tabs(visit, shown)}
    ${
      items.length === 0
        ? html`<p>${text("todo.none")}</p>`
        : html`<ul class="stack">
            ${items.map((item) => row(visit, item))}
          </ul>`
    }
    ${total > items.length && html`<p class="quiet">${text("todo.more")}</p>`}`
  )
}

import { copyLine } from "../../pages/Copying.ts"
import { type Faults, field, hidden, select } from "../../pages/Field.ts"
import { date, moment } from "../../pages/Format.ts"
import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { Invite } from "../../staff/members/Invite.ts"
import type { InviteWithLink } from "../../staff/members/Invites.ts"
import type { Member } from "../../staff/members/Member.ts"
import { Role } from "../../staff/Role.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { roleText } from "../desk/RoleText.ts"

const stateText: Readonly<Record<Member["state"], Phrase>> = {
  invited: text("admin.state_invited"),
  active: text("admin.state_active"),
  disabled: text("admin.state_disabled")
}

const roleField = (value: string | undefined, error: Content): Content =>
  select({
    name: "role",
    label: text("admin.role"),
    value,
    options: Role.literals.map((role) => [role, roleText[role]]),
    ...(error !== undefined && { error })
  })

interface Typed {
  readonly faults?: Faults
  readonly field?: (name: string) => string | undefined
}

const members = (items: ReadonlyArray<Member>, pathTo: AdminVisit["pathTo"]): Content =>
  table<Member>(
    [
      {
        head: text("admin.person"),
        as: "name",
        cell: ({ email, id, name }) => html`<a href="${pathTo(`staff/${id}`)}">${name}</a> <small>${email}</small>`
      },
      { head: text("admin.role"), cell: ({ role }) => roleText[role], label: text("admin.role") },
      { head: text("admin.state"), cell: ({ state }) => stateText[state], label: text("admin.state") },
      {
        head: text("admin.second_factor"),
        cell: ({ second_factor }) => (second_factor ? text("admin.yes") : text("admin.no")),
        label: text("admin.second_factor")
      },
      { head: text("admin.since"), cell: ({ created_at }) => date(created_at), label: text("admin.since") }
    ],
    items
  )

const openInvites = (invites: ReadonlyArray<Invite>, pathTo: AdminVisit["pathTo"]): Content =>
  invites.length === 0
    ? html`<p>${text("admin.invites_none")}</p>`
    : table<Invite>(
        [
          {
            head: text("admin.person"),
            as: "name",
            cell: ({ email, name, staff_id }) =>
              html`<a href="${pathTo(`staff/${staff_id}`)}">${name}</a> <small>${email}</small>`
          },
          { head: text("admin.role"), cell: ({ role }) => roleText[role], label: text("admin.role") },
          { head: text("admin.ends"), cell: ({ ends_at }) => moment(ends_at), label: text("admin.ends") }
        ],
        invites
      )

const inviteForm = ({ form, pathTo }: AdminVisit, { faults = {}, field: typed = () => undefined }: Typed): Content =>
  html`<section class="card" aria-labelledby="invite">
    <h2 id="invite">${text("admin.invite_person")}</h2>
    ${form(
      pathTo("staff"),
      html`<div class="stack">
        ${field({ name: "email", label: text("form.email"), type: "email", autocomplete: "off", value: typed("email"), error: faults["email"] })}
        ${field({ name: "name", label: text("admin.name"), autocomplete: "off", value: typed("name"), error: faults["name"] })}
        ${roleField(typed("role") ?? "support", faults["role"])}
        <div><button class="primary">${text("admin.create_link_button")}</button></div>
      </div>`
    )}
  </section>`

interface StaffList {
  readonly items: ReadonlyArray<Member>
  readonly next: string | null
  readonly invites: ReadonlyArray<Invite>
}

/** The list of staff, the open invitations, and the form that invites. */
export const staffPage = (visit: AdminVisit, { invites, items, next }: StaffList, typed: Typed = {}): Page => {
  const { actor, pathTo } = visit
  return adminPage(
    visit,
    { title: text("admin.staff"), section: "staff", lead: text("admin.staff_lead"), faults: typed.faults ?? {} },
    html`${members(items, pathTo)}
      ${next !== null && html`<p><a class="button small" href="${pathTo("staff")}?after=${next}">${text("admin.next_page")}</a></p>`}
      <section class="card stack" aria-labelledby="open">
        <h2 id="open">${text("admin.invites_title")}</h2>
        ${openInvites(invites, pathTo)}
      </section>
      ${may(actor, "staff.change") && inviteForm(visit, typed)}`
  )
}

/** Shows the link of an invitation, which no later page does. */
export const linkPage = (visit: AdminVisit, { link, name }: InviteWithLink): Page =>
  adminPage(
    visit,
    {
      title: text("admin.link_title", { name: html`<bdi>${name}</bdi>` }),
      section: "staff",
      back: [visit.pathTo("staff"), text("admin.staff")],
      lead: text("admin.link_about")
    },
    html`<section class="card">${copyLine("link", text("admin.link"), link)}</section>`
  )

const reasonField = (error: Content): Content =>
  field({
    name: "reason",
    label: text("admin.reason"),
    hint: text("admin.reason_hint"),
    autocomplete: "off",
    ...(error !== undefined && { error })
  })

interface Action {
  readonly act: "role" | "disable" | "enable" | "reset" | "invite"
  readonly title: Phrase
  readonly about: Phrase
  readonly button: Phrase
  readonly fields?: Content
}

const actionsOf = ({ role, second_factor, state }: Member, faults: Faults): ReadonlyArray<Action> => [
  ...(state === "disabled"
    ? []
    : [
        {
          act: "role" as const,
          title: text("admin.role_title"),
          about: text("admin.role_about"),
          button: text("admin.role_button"),
          fields: roleField(role, faults["role"])
        },
        {
          act: "invite" as const,
          title: text("admin.invite_again_title"),
          about: text("admin.invite_again_about"),
          button: text("admin.create_link_button")
        }
      ]),
  ...(second_factor
    ? [
        {
          act: "reset" as const,
          title: text("admin.reset_title"),
          about: text("admin.reset_about"),
          button: text("admin.reset_button")
        }
      ]
    : []),
  state === "disabled"
    ? {
        act: "enable",
        title: text("admin.enable_title"),
        about: text("admin.enable_about"),
        button: text("admin.enable_button"),
        fields: reasonField(faults["reason"])
      }
    : {
        act: "disable",
        title: text("admin.disable_title"),
        about: text("admin.disable_about"),
        button: text("admin.disable_button"),
        fields: reasonField(faults["reason"])
      }
]

/** One member, with the changes that an owner makes. */
export const memberPage = (
  visit: AdminVisit,
  member: Member,
  { faults = {}, notice }: { readonly faults?: Faults; readonly notice?: Phrase } = {}
): Page => {
  const { actor, form, pathTo } = visit
  const path = pathTo(`staff/${member.id}`)
  return adminPage(
    visit,
    {
      title: html`<bdi>${member.name}</bdi>`,
      section: "staff",
      back: [pathTo("staff"), text("admin.staff")],
      lead: html`${member.email} · ${roleText[member.role]} · ${stateText[member.state]}`,
      faults,
      ...(notice !== undefined && { notice })
    },
    html`${
      may(actor, "staff.change") &&
      actionsOf(member, faults).map(
        ({ about, act, button, fields, title }) =>
          html`<section class="card stack" aria-labelledby="${act}-title">
            <h2 id="${act}-title">${title}</h2>
            <p class="quiet">${about}</p>
            ${form(
              path,
              html`${hidden("act", act)}
                <div class="stack">
                  ${fields}
                  <div><button>${button}</button></div>
                </div>`
            )}
          </section>`
      )
    }
    ${may(actor, "audit.read") && html`<p><a href="${pathTo("audit")}?subject_id=${member.id}">${text("admin.audit")}</a></p>`}`
  )
}

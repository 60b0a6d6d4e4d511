import { moment } from "../../pages/Format.ts"
import { html, type Phrase, text } from "../../pages/Html.ts"
import { table } from "../../pages/Table.ts"
import type { MailRecord, NoteRecord } from "../../staff/customers/CustomerRecord.ts"
import type { RecordTable } from "./RecordTables.ts"

export const noteTable: RecordTable<NoteRecord> = (_visit, items) =>
  table<NoteRecord>(
    [
      { head: text("care.note"), as: "name", cell: (note) => note.text },
      { head: text("admin.who"), label: text("admin.who"), cell: ({ written_by }) => written_by },
      { head: text("admin.time"), label: text("admin.time"), cell: ({ created_at }) => moment(created_at) }
    ],
    items
  )

const kinds: Readonly<Record<string, Phrase>> = {
  email_verification: text("care.kind_verification"),
  password_reset: text("care.kind_reset"),
  sign_in_unlock: text("care.kind_unlock"),
  notice: text("care.kind_notice"),
  announcement: text("care.kind_announcement")
}

const states = {
  queued: [text("care.queued"), "unknown"],
  delivered: [text("care.delivered"), "good"],
  failed: [text("care.failed"), "bad"],
  unknown: [text("care.unknown"), "unknown"],
  not_needed: [text("care.not_needed"), ""]
} as const satisfies Record<MailRecord["status"], readonly [Phrase, string]>

export const mailTable: RecordTable<MailRecord> = (_visit, items) =>
  table<MailRecord>(
    [
      {
        head: text("care.mail"),
        as: "name",
        cell: ({ kind, subject }) =>
          html`${subject ?? kinds[kind] ?? kind} <small>${subject !== null && kinds[kind]}</small>`
      },
      {
        head: text("care.address"),
        label: text("care.address"),
        cell: ({ to_address }) => html`<bdi>${to_address}</bdi>`
      },
      {
        head: text("admin.state"),
        label: text("admin.state"),
        cell: ({ failure, status }) =>
          html`<span class="mark ${states[status][1]}">${states[status][0]}</span>
            <small>${failure ?? undefined}</small>`
      },
      { head: text("admin.time"), label: text("admin.time"), cell: ({ created_at }) => moment(created_at) }
    ],
    items
  )

import type { Plant } from "./Plant.ts"

/** Many customers read their invoices, and get mails. */
const papers = { vendorShare: 0, topUpShare: 0, paperShare: 70, orders: 200 }

/** Bugs of invoices and announcements. */
export const paperPlants: ReadonlyArray<Plant> = [
  {
    name: "number-skipped",
    what: "a document takes its number outside the transaction that writes it",
    breaks: "the numbers of documents have no gap",
    extent: { ...papers, aim: { points: /COMMIT .*INSERT invoice\b/, share: 0.3, modes: ["kill before"] } },
    edits: [
      {
        file: "migrations/0078_documents.ts",
        find: `INSERT INTO invoice_counter AS c (kind, is_sandbox, year, last_position, last_issued_at)
      VALUES (NEW.kind, NEW.is_sandbox, NEW.year, 1, NEW.issued_at)
      ON CONFLICT (kind, is_sandbox, year) DO UPDATE
      SET last_position = c.last_position + 1, last_issued_at = greatest(c.last_issued_at, excluded.last_issued_at)
      RETURNING last_position, last_issued_at INTO NEW.position, NEW.issued_at;`,
        replace:
          "NEW.position := nextval('number_of_' || NEW.kind || CASE WHEN NEW.is_sandbox THEN '_test' ELSE '' END);"
      },
      {
        file: "migrations/0078_documents.ts",
        find: "  yield* sql`CREATE INDEX invoice_of_transaction",
        replace: `  for (const name of ["invoice", "credit_note", "invoice_test", "credit_note_test"])
    yield* sql.unsafe("CREATE SEQUENCE number_of_" + name)
  yield* sql\`CREATE INDEX invoice_of_transaction`
      }
    ]
  },
  {
    name: "note-forgotten",
    what: "money that goes back to a payer gets no credit note",
    breaks: "credit notes take back what went back of a payment",
    extent: { ...papers, orders: 200 },
    edits: [
      {
        file: "src/wallet/invoices/IssueInvoices.ts",
        find: `yield* credit(standing, standing.returned - standing.credited, { cause: "refund" })`,
        replace: "void standing"
      }
    ]
  },
  {
    name: "news-twice",
    what: "a page of mails and the account up to which it goes are two transactions",
    breaks: "an announcement has one mail for each account",
    extent: { ...papers, aim: { points: /^UPDATE announcement/, share: 0.3 } },
    edits: [
      {
        file: "src/announcements/AnnouncementRounds.ts",
        find: "if (!(yield* atomically(page))) return",
        replace: "if (atomically === undefined || !(yield* page)) return"
      },
      {
        file: "migrations/0079_customer_care.ts",
        find: `,
      -- An account gets the mail of an announcement at most once.
      CONSTRAINT mail_log_once UNIQUE (announcement_id, user_id)`,
        replace: ""
      }
    ]
  },
  {
    name: "mail-again",
    what: "a mail of an announcement is sent again after a kill",
    breaks: "a mail of an announcement arrives once",
    extent: { ...papers, aim: { points: /^DELETE email_outbox/, share: 0.05, modes: ["kill before"] } },
    edits: [
      {
        file: "src/accounts/mail/EmailDelivery.ts",
        find: `if (queued.claimed_before) return yield* end("unknown")`,
        replace: ""
      },
      { file: "src/accounts/mail/EmailOutboxRepo.ts", find: " AND m.claimed_at IS NULL", replace: "" }
    ]
  }
]

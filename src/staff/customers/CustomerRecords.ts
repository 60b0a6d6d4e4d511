import { Context, Effect, Layer } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { type Actor, may, needs, type PermissionNeeded } from "../Actor.ts"
import * as Keyset from "../Keyset.ts"
import type { Permission } from "../Permissions.ts"
import type { KeyRecord, ListName, MailRecord, RecordsOfLists, SessionRecord } from "./CustomerRecord.ts"
import { maskedEmail } from "../MaskedEmail.ts"
import { CustomerNotFound } from "./CustomerErrors.ts"
import { CustomerRecordsRepo } from "./CustomerRecordsRepo.ts"

/** A part of a list. `next` is the `after` of the next part. */
export interface Part<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

/** Lists records of a customer, newest first. */
type List<A> = (
  actor: Actor["Service"],
  id: UserId,
  keyset: Keyset.Keyset
) => Effect.Effect<Part<A>, CustomerNotFound | PermissionNeeded>

const withoutAddresses = (key: KeyRecord): KeyRecord => ({ ...key, allowed_ips: null })

const withoutAddress = (session: SessionRecord): SessionRecord => ({ ...session, address: null })

const masked = (mail: MailRecord): MailRecord => ({ ...mail, to_address: maskedEmail(mail.to_address) ?? "" })

/** Hides a part of each record from staff who may not identify customers. */
const hiding =
  <A>(read: List<A>, hide: (item: A) => A): List<A> =>
  (actor, id, keyset) =>
    Effect.map(read(actor, id, keyset), (part) =>
      may(actor, "customer.identify") ? part : { ...part, items: part.items.map(hide) }
    )

/** The orders, ledger entries, payments, credentials and notices of a customer, for staff. */
export class CustomerRecords extends Context.Service<
  CustomerRecords,
  { readonly [L in ListName]: List<RecordsOfLists[L]> }
>()("app/staff/CustomerRecords") {
  static readonly layerNoDeps = Layer.effect(
    CustomerRecords,
    Effect.gen(function* () {
      const repo = yield* CustomerRecordsRepo

      const list = <A extends { readonly id: string }>(
        name: string,
        permission: Permission,
        read: (id: UserId, keyset: Keyset.Keyset) => Effect.Effect<ReadonlyArray<A>>
      ): List<A> =>
        Effect.fn(`CustomerRecords.${name}`)(function* (actor, id, keyset) {
          yield* needs(actor, permission)
          const rows = yield* read(id, { ...keyset, limit: keyset.limit + 1 })
          if (rows.length === 0 && !(yield* repo.exists(id))) return yield* new CustomerNotFound()
          return Keyset.pageOf(rows, keyset.limit)
        })

      return CustomerRecords.of({
        orders: list("orders", "order.read", repo.orders),
        entries: list("entries", "customer.read", repo.entries),
        payments: list("payments", "payment.read", repo.payments),
        keys: hiding(list("keys", "customer.read", repo.keys), withoutAddresses),
        sessions: hiding(list("sessions", "customer.read", repo.sessions), withoutAddress),
        apps: list("apps", "customer.read", repo.apps),
        notices: list("notices", "customer.read", repo.notices),
        notes: list("notes", "customer.read", repo.notes),
        mails: hiding(list("mails", "customer.read", repo.mails), masked)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(CustomerRecordsRepo.layer))
}

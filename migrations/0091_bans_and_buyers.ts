import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A banned person gets no other account with the same mailbox, and a deleted account leaves its buyer for its last documents. */
export default Effect.gen(function* () {
  yield* mailboxes
  yield* buyers
})

/**
 * The address of a mailbox: without a tag after `+`, and without the dots that Google and Proton ignore. The refusal looks like
 * that of a taken email, so it tells nobody about the ban. The account of a ban cannot be deleted, so no copy of the address is
 * needed.
 */
const mailboxes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION email_mailbox(email text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
      SELECT CASE
        WHEN d IN ('gmail.com', 'googlemail.com') THEN replace(l, '.', '') || '@gmail.com'
        WHEN d IN ('proton.me', 'protonmail.com', 'pm.me') THEN translate(l, '._-', '') || '@proton.me'
        ELSE l || '@' || d
      END
      FROM (VALUES (
        coalesce(nullif(split_part(split_part(email, '@', 1), '+', 1), ''), split_part(email, '@', 1)),
        split_part(email, '@', 2)
      )) part (l, d)
    $$
  `
  yield* sql`CREATE INDEX user_account_blocked_mailbox ON user_account (email_mailbox(email)) WHERE access_blocked`
  yield* sql`
    CREATE FUNCTION user_account_not_banned() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (
        SELECT FROM user_account a JOIN account_restriction r ON r.user_id = a.id
        WHERE a.access_blocked AND email_mailbox(a.email) = email_mailbox(NEW.email) AND a.id <> NEW.id
          AND r.preset = 'ban' AND r.lifted_at IS NULL
      ) THEN
        RAISE EXCEPTION 'a banned account has this mailbox'
          USING ERRCODE = 'unique_violation', CONSTRAINT = 'user_account_email', TABLE = 'user_account';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER user_account_not_banned BEFORE INSERT OR UPDATE OF email ON user_account
    FOR EACH ROW WHEN (NEW.email IS NOT NULL) EXECUTE FUNCTION user_account_not_banned()
  `
})

/** The queue of documents keeps the buyer of a deleted account until the last document is issued. */
const buyers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE invoice_due ADD COLUMN buyer jsonb CHECK (jsonb_typeof(buyer) = 'object')`
  yield* sql`CREATE INDEX invoice_due_buyer ON invoice_due (transaction_id) WHERE buyer IS NOT NULL`
  yield* sql`
    CREATE FUNCTION invoice_buyer(account uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
      SELECT jsonb_build_object(
        'email', a.email, 'name', b.name, 'address', b.address, 'is_business', coalesce(b.is_business, false),
        'country', b.country, 'tax_number', b.tax_number, 'is_checked', b.tax_number_checked_at IS NOT NULL
      )
      FROM user_account a LEFT JOIN billing_details b ON b.user_id = a.id
      WHERE a.id = account AND a.deleted_at IS NULL
    $$
  `
  yield* sql`
    CREATE FUNCTION invoice_buyer_keep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE invoice_due d SET buyer = invoice_buyer(NEW.id)
      FROM payment_charge c
      WHERE c.user_id = NEW.id AND c.transaction_id = d.transaction_id
        AND NOT EXISTS (SELECT FROM invoice i WHERE i.transaction_id = c.transaction_id);
      RETURN NEW;
    END $$
  `
  // Before the deletion: it erases the email, and another trigger the billing details.
  yield* sql`
    CREATE TRIGGER invoice_buyer_keep BEFORE UPDATE OF deleted_at ON user_account
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION invoice_buyer_keep()
  `
})

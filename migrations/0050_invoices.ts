import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Invoices of payments from outside, one for each charge of a gateway. The database numbers them without gaps in each year:
 * the counter and the invoice commit or roll back together. Payments do not touch the counter, because an invoice is made
 * when its owner first reads it.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The invoices that are missing are found by account.
  yield* sql`CREATE INDEX payment_charge_of_user ON payment_charge (user_id, created_at)`
  yield* sql`
    CREATE TABLE invoice (
      transaction_id uuid PRIMARY KEY REFERENCES payment_charge (transaction_id),
      user_id uuid NOT NULL REFERENCES user_account (id),
      -- Payments of the sandbox have numbers of their own.
      is_sandbox boolean NOT NULL,
      year integer NOT NULL CHECK (year BETWEEN 1000 AND 9999),
      position integer NOT NULL CHECK (position > 0),
      number text NOT NULL UNIQUE GENERATED ALWAYS AS (
        CASE WHEN is_sandbox THEN 'TEST-' ELSE '' END || year || '-'
          || lpad(position::text, greatest(6, length(position::text)), '0')
      ) STORED,
      -- Seller, buyer and lines as they were at this time.
      issued_at timestamptz NOT NULL,
      seller jsonb NOT NULL CHECK (jsonb_typeof(seller) = 'object'),
      buyer jsonb NOT NULL CHECK (jsonb_typeof(buyer) = 'object'),
      lines jsonb NOT NULL CHECK (jsonb_typeof(lines) = 'array'),
      UNIQUE (is_sandbox, year, position)
    )
  `
  yield* sql`CREATE INDEX invoice_of_user ON invoice (user_id, issued_at DESC, number DESC)`
  yield* sql`
    CREATE TABLE invoice_counter (
      is_sandbox boolean,
      year integer,
      last_position integer NOT NULL,
      PRIMARY KEY (is_sandbox, year),
      CONSTRAINT invoice_counter_is_of_last_invoice FOREIGN KEY (is_sandbox, year, last_position)
        REFERENCES invoice (is_sandbox, year, position) DEFERRABLE INITIALLY DEFERRED
    )
  `
  yield* numbers
  yield* guards
  yield* billing
})

const numbers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The charge decides whose invoice it is. Its writer cannot choose a number.
  yield* sql`
    CREATE FUNCTION invoice_number() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      charge payment_charge;
    BEGIN
      SELECT * INTO charge FROM payment_charge WHERE transaction_id = NEW.transaction_id;
      IF charge IS NULL THEN
        RAISE EXCEPTION 'an invoice is for a payment from outside' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      IF (SELECT sum((line->>'amount')::bigint) FROM jsonb_array_elements(NEW.lines) line)
        IS DISTINCT FROM charge.amount
      THEN
        RAISE EXCEPTION 'the lines of an invoice add up to its payment' USING ERRCODE = 'check_violation';
      END IF;
      NEW.user_id := charge.user_id;
      NEW.is_sandbox := charge.is_sandbox;
      NEW.year := extract(year FROM NEW.issued_at AT TIME ZONE 'UTC');
      INSERT INTO invoice_counter AS c (is_sandbox, year, last_position) VALUES (NEW.is_sandbox, NEW.year, 1)
      ON CONFLICT (is_sandbox, year) DO UPDATE SET last_position = c.last_position + 1
      RETURNING last_position INTO NEW.position;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER invoice_number BEFORE INSERT ON invoice FOR EACH ROW EXECUTE FUNCTION invoice_number()
  `
})

const guards = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION invoice_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'an invoice and its number do not change' USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER invoice_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON invoice
    FOR EACH STATEMENT EXECUTE FUNCTION invoice_refuse()
  `
  yield* sql`
    CREATE TRIGGER invoice_counter_keep BEFORE DELETE OR TRUNCATE ON invoice_counter
    FOR EACH STATEMENT EXECUTE FUNCTION invoice_refuse()
  `
  yield* sql`
    CREATE TRIGGER invoice_counter_first BEFORE INSERT ON invoice_counter
    FOR EACH ROW WHEN (NEW.last_position <> 1) EXECUTE FUNCTION invoice_refuse()
  `
  yield* sql`
    CREATE TRIGGER invoice_counter_next BEFORE UPDATE ON invoice_counter
    FOR EACH ROW WHEN (
      (NEW.is_sandbox, NEW.year, NEW.last_position) IS DISTINCT FROM (OLD.is_sandbox, OLD.year, OLD.last_position + 1)
    ) EXECUTE FUNCTION invoice_refuse()
  `
})

/**
 * The name and address for the next invoices of an account. They end with the account, and with a reset of the password that
 * takes the account over (0026_account_taken_over).
 */
const billing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE billing_details (
      user_id uuid PRIMARY KEY REFERENCES user_account (id),
      name text CHECK (char_length(name) BETWEEN 1 AND 200),
      address text CHECK (char_length(address) BETWEEN 1 AND 500),
      updated_at timestamptz NOT NULL,
      CHECK (num_nonnulls(name, address) > 0)
    )
  `
  yield* sql`
    CREATE FUNCTION billing_details_end() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM billing_details WHERE user_id = NEW.id;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER billing_details_end AFTER UPDATE OF email_verified, deleted_at ON user_account
    FOR EACH ROW WHEN (
      OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL
      OR NEW.email_verified AND NOT OLD.email_verified AND NEW.password_hash IS DISTINCT FROM OLD.password_hash
    )
    EXECUTE FUNCTION billing_details_end()
  `
})

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * An invoice has its tax, and its whole content in one body with a hash. What goes back to a payer gets a credit note with a
 * number of a series of its own. A job issues both: payments and refunds only note that a document is due.
 */
export default Effect.gen(function* () {
  yield* rates
  yield* profiles
  yield* documents
  yield* series
  yield* numbers
  yield* returned
  yield* due
})

/**
 * A rate holds until the next day from which another one of its country is valid, so rates never overlap. Of two for the same
 * day, the later record counts.
 */
const rates = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE tax_rate (
      id uuid PRIMARY KEY,
      country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
      -- Basis points: 1900 is 19 %.
      rate_bp integer NOT NULL CHECK (rate_bp BETWEEN 0 AND 10000),
      note text CHECK (char_length(note) BETWEEN 1 AND 300),
      valid_from date NOT NULL CHECK (valid_from BETWEEN '2000-01-01' AND '2999-12-31'),
      recorded_at timestamptz NOT NULL,
      recorded_by text NOT NULL CHECK (char_length(recorded_by) BETWEEN 1 AND 200)
    )
  `
  yield* sql`CREATE INDEX tax_rate_of_country ON tax_rate (country, valid_from DESC, recorded_at DESC, id DESC)`
  yield* sql`
    CREATE TRIGGER tax_rate_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON tax_rate
    FOR EACH STATEMENT EXECUTE FUNCTION invoice_refuse()
  `
})

/**
 * A tax number counts after staff have checked it. It must be checked again when the buyer changes. The documents of such a buyer
 * must name the address (Directive 2006/112/EC, Article 226).
 */
const profiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE billing_details
      ADD COLUMN is_business boolean NOT NULL DEFAULT false,
      ADD COLUMN country text CHECK (country ~ '^[A-Z]{2}$'),
      ADD COLUMN tax_number text CHECK (char_length(tax_number) BETWEEN 1 AND 40),
      ADD COLUMN tax_number_checked_at timestamptz,
      ADD COLUMN tax_number_checked_by text CHECK (char_length(tax_number_checked_by) BETWEEN 1 AND 200),
      ADD COLUMN tax_number_refused_at timestamptz,
      DROP CONSTRAINT billing_details_check,
      ADD CONSTRAINT billing_details_not_empty CHECK (is_business OR num_nonnulls(name, address, country) > 0),
      ADD CONSTRAINT billing_details_number_of_business CHECK (tax_number IS NULL OR is_business),
      ADD CONSTRAINT billing_details_checked CHECK (
        num_nonnulls(tax_number_checked_at, tax_number_checked_by) IN (0, 2)
        AND (tax_number_checked_at IS NULL OR num_nonnulls(tax_number, country, name, address) = 4)
      ),
      ADD CONSTRAINT billing_details_refused CHECK (num_nonnulls(tax_number_checked_at, tax_number_refused_at) < 2)
  `
  yield* sql`
    CREATE FUNCTION billing_details_unchecked() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.tax_number_checked_at := NULL;
      NEW.tax_number_checked_by := NULL;
      NEW.tax_number_refused_at := NULL;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER billing_details_unchecked BEFORE UPDATE ON billing_details
    FOR EACH ROW WHEN (
      (NEW.name, NEW.is_business, NEW.country, NEW.tax_number, NEW.address IS NULL)
        IS DISTINCT FROM (OLD.name, OLD.is_business, OLD.country, OLD.tax_number, OLD.address IS NULL)
    ) EXECUTE FUNCTION billing_details_unchecked()
  `
})

/** The content moves into one body. The invoices that exist get no tax. */
const documents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SET CONSTRAINTS ALL IMMEDIATE`
  yield* sql`SET CONSTRAINTS ALL DEFERRED`
  yield* sql`ALTER TABLE invoice DISABLE TRIGGER invoice_keep`
  yield* sql`ALTER TABLE invoice ALTER COLUMN number DROP EXPRESSION`
  yield* sql`
    ALTER TABLE invoice
      ADD COLUMN kind text NOT NULL DEFAULT 'invoice' CHECK (kind IN ('invoice', 'credit_note')),
      -- The invoice that a credit note takes back, or that this invoice replaces.
      ADD COLUMN corrects text,
      ADD COLUMN cause text CHECK (cause IN ('refund', 'correction')),
      ADD COLUMN currency text CHECK (currency IN ('USD', 'STAR')),
      ADD COLUMN total bigint CHECK (total > 0),
      ADD COLUMN net bigint CHECK (net >= 0),
      ADD COLUMN tax bigint CHECK (tax >= 0),
      ADD COLUMN body jsonb CHECK (jsonb_typeof(body) = 'object'),
      ADD COLUMN sha256 text CHECK (sha256 ~ '^[0-9a-f]{64}$')
  `
  yield* content
  yield* sql`
    UPDATE invoice i SET currency = c.currency, total = c.amount, net = c.amount, tax = 0, body = jsonb_build_object(
      'seller', i.seller || '{"tax_number": null}', 'lines', i.lines, 'payment_method', c.payment_method, 'buyer', i.buyer
        || '{"is_business": false, "country": null, "tax_number": null, "is_checked": false}',
      'paid_at', invoice_time(c.created_at),
      'tax', jsonb_build_object('scheme', 'off', 'country', NULL, 'rate_bp', 0, 'note', NULL, 'reverse_charge', false)
    ) FROM payment_charge c WHERE c.transaction_id = i.transaction_id
  `
  yield* sql`UPDATE invoice i SET body = invoice_body(i), sha256 = invoice_hash(invoice_body(i))`
  yield* sql`SET CONSTRAINTS ALL IMMEDIATE`
  yield* sql`SET CONSTRAINTS ALL DEFERRED`
  yield* sql`
    ALTER TABLE invoice
      DROP COLUMN seller, DROP COLUMN buyer, DROP COLUMN lines,
      ALTER COLUMN kind DROP DEFAULT,
      ALTER COLUMN currency SET NOT NULL,
      ALTER COLUMN total SET NOT NULL,
      ALTER COLUMN net SET NOT NULL,
      ALTER COLUMN tax SET NOT NULL,
      ALTER COLUMN body SET NOT NULL,
      ALTER COLUMN sha256 SET NOT NULL,
      ADD CONSTRAINT invoice_adds_up CHECK (net + tax = total),
      ADD CONSTRAINT invoice_credit_note CHECK (
        (kind = 'credit_note') = (cause IS NOT NULL) AND (kind = 'invoice' OR corrects IS NOT NULL)
      )
  `
  yield* sql`ALTER TABLE invoice ENABLE TRIGGER invoice_keep`
})

/** The body names everything of its document. Its hash is that of its text. */
const content = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION invoice_time(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    $$
  `
  yield* sql`
    CREATE FUNCTION invoice_body(i invoice) RETURNS jsonb LANGUAGE sql STABLE AS $$
      SELECT i.body || jsonb_build_object(
        'number', i.number, 'kind', i.kind, 'transaction_id', i.transaction_id, 'corrects', i.corrects, 'cause', i.cause,
        'is_sandbox', i.is_sandbox, 'issued_at', invoice_time(i.issued_at), 'currency', i.currency,
        'total', i.total::text, 'net', i.net::text, 'tax_amount', i.tax::text
      )
    $$
  `
  yield* sql`
    CREATE FUNCTION invoice_hash(body jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
      SELECT encode(sha256(convert_to(body::text, 'UTF8')), 'hex')
    $$
  `
})

/** Invoices and credit notes have a series each, in which the times rise with the numbers. */
const series = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TRIGGER invoice_counter_next ON invoice_counter`
  yield* sql`
    ALTER TABLE invoice_counter
      DROP CONSTRAINT invoice_counter_is_of_last_invoice,
      DROP CONSTRAINT invoice_counter_pkey,
      ADD COLUMN kind text NOT NULL DEFAULT 'invoice',
      ADD COLUMN last_issued_at timestamptz
  `
  yield* sql`
    UPDATE invoice_counter c SET last_issued_at = (
      SELECT max(issued_at) FROM invoice i WHERE (i.is_sandbox, i.year) = (c.is_sandbox, c.year)
    )
  `
  yield* sql`
    ALTER TABLE invoice
      DROP CONSTRAINT invoice_pkey,
      DROP CONSTRAINT invoice_number_key,
      DROP CONSTRAINT invoice_is_sandbox_year_position_key,
      ADD PRIMARY KEY (number),
      ADD UNIQUE (kind, is_sandbox, year, position),
      ADD CONSTRAINT invoice_number_of_series CHECK (
        number = CASE WHEN is_sandbox THEN 'TEST-' ELSE '' END || CASE kind WHEN 'credit_note' THEN 'CN-' ELSE '' END
          || year || '-' || lpad(position::text, greatest(6, length(position::text)), '0')
      ),
      ADD CONSTRAINT invoice_corrects FOREIGN KEY (corrects) REFERENCES invoice (number)
  `
  yield* sql`
    ALTER TABLE invoice_counter
      ALTER COLUMN kind DROP DEFAULT,
      ALTER COLUMN last_issued_at SET NOT NULL,
      ADD PRIMARY KEY (kind, is_sandbox, year),
      ADD CONSTRAINT invoice_counter_is_of_last_invoice FOREIGN KEY (kind, is_sandbox, year, last_position)
        REFERENCES invoice (kind, is_sandbox, year, position) DEFERRABLE INITIALLY DEFERRED
  `
  yield* sql`
    CREATE TRIGGER invoice_counter_next BEFORE UPDATE ON invoice_counter
    FOR EACH ROW WHEN (
      (NEW.kind, NEW.is_sandbox, NEW.year, NEW.last_position)
        IS DISTINCT FROM (OLD.kind, OLD.is_sandbox, OLD.year, OLD.last_position + 1)
      OR NEW.last_issued_at < OLD.last_issued_at
    ) EXECUTE FUNCTION invoice_refuse()
  `
  yield* sql`CREATE INDEX invoice_of_transaction ON invoice (transaction_id)`
  yield* sql`CREATE UNIQUE INDEX invoice_first ON invoice (transaction_id) WHERE kind = 'invoice' AND corrects IS NULL`
  yield* sql`CREATE UNIQUE INDEX invoice_replaced ON invoice (corrects) WHERE kind = 'invoice'`
  yield* sql`CREATE INDEX invoice_corrected ON invoice (corrects) WHERE corrects IS NOT NULL`
  yield* sql`CREATE INDEX invoice_newest ON invoice (issued_at DESC, number DESC)`
  yield* sql`CREATE INDEX invoice_newest_credit ON invoice (issued_at DESC, number DESC) WHERE kind = 'credit_note'`
})

const numbers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The charge decides whose document it is. Its writer cannot choose a number. One transaction issues at a time, so each
  // sees what the others have taken back, and none waits for two counters.
  yield* sql`
    CREATE OR REPLACE FUNCTION invoice_number() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      charge payment_charge;
      corrected invoice;
      credited bigint;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('invoice', 0));
      SELECT * INTO charge FROM payment_charge WHERE transaction_id = NEW.transaction_id;
      IF charge IS NULL THEN
        RAISE EXCEPTION 'an invoice is for a payment from outside' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      IF NEW.currency <> charge.currency OR (NEW.kind = 'invoice' AND NEW.total <> charge.amount)
        OR (SELECT sum((line->>'amount')::bigint) FROM jsonb_array_elements(NEW.body->'lines') line)
          IS DISTINCT FROM NEW.total
      THEN
        RAISE EXCEPTION 'the lines of an invoice add up to its payment' USING ERRCODE = 'check_violation';
      END IF;
      IF NEW.corrects IS NOT NULL THEN
        SELECT * INTO corrected FROM invoice WHERE number = NEW.corrects;
        SELECT coalesce(sum(total), 0) INTO credited FROM invoice
        WHERE corrects = NEW.corrects AND kind = 'credit_note';
        IF (corrected.kind, corrected.transaction_id) IS DISTINCT FROM ('invoice', NEW.transaction_id)
          OR (NEW.kind = 'credit_note' AND credited + NEW.total > corrected.total)
          OR (NEW.kind = 'invoice' AND credited <> corrected.total)
          OR EXISTS (SELECT FROM invoice WHERE corrects = NEW.corrects AND kind = 'invoice')
        THEN
          RAISE EXCEPTION 'a document takes back at most what an invoice of its payment says'
            USING ERRCODE = 'check_violation';
        END IF;
      END IF;
      NEW.user_id := charge.user_id;
      NEW.is_sandbox := charge.is_sandbox;
      NEW.year := extract(year FROM NEW.issued_at AT TIME ZONE 'UTC');
      INSERT INTO invoice_counter AS c (kind, is_sandbox, year, last_position, last_issued_at)
      VALUES (NEW.kind, NEW.is_sandbox, NEW.year, 1, NEW.issued_at)
      ON CONFLICT (kind, is_sandbox, year) DO UPDATE
      SET last_position = c.last_position + 1, last_issued_at = greatest(c.last_issued_at, excluded.last_issued_at)
      RETURNING last_position, last_issued_at INTO NEW.position, NEW.issued_at;
      NEW.number := CASE WHEN NEW.is_sandbox THEN 'TEST-' ELSE '' END
        || CASE NEW.kind WHEN 'credit_note' THEN 'CN-' ELSE '' END
        || NEW.year || '-' || lpad(NEW.position::text, greatest(6, length(NEW.position::text)), '0');
      NEW.body := invoice_body(NEW);
      NEW.sha256 := invoice_hash(NEW.body);
      RETURN NEW;
    END $$
  `
})

/**
 * The part of a payment that is back at the payer for good: refunds that succeeded, and disputes that are not open. Money that
 * returns to the wallet was not paid back.
 */
const returned = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION invoice_returned(of_transaction uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
      SELECT least(c.amount, coalesce((
          SELECT sum(r.amount) FROM payment_reversal r
          WHERE (r.payment_method, r.charge_id) = (c.payment_method, c.charge_id) AND r.status = 'taken'
            AND (r.dispute_state IS NULL OR r.dispute_state IN ('lost', 'closed'))
        ), 0) + coalesce((
          SELECT sum(g.amount) FROM gateway_refund g
          WHERE (g.payment_method, g.charge_id) = (c.payment_method, c.charge_id) AND g.status = 'succeeded'
        ), 0))::bigint
      FROM payment_charge c WHERE c.transaction_id = of_transaction
    $$
  `
})

/**
 * The queue of the job. A row is only added and removed, so neither a payment nor a refund waits for a document. An invoice is
 * due ten minutes after the payment, so that the payer can give an address.
 */
const due = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE invoice_due (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      transaction_id uuid NOT NULL,
      due_at timestamptz NOT NULL
    )
  `
  yield* sql`CREATE INDEX invoice_due_next ON invoice_due (due_at, id)`
  yield* sql`
    CREATE FUNCTION invoice_due_of_charge() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO invoice_due (transaction_id, due_at) VALUES (NEW.transaction_id, NEW.created_at + interval '10 minutes');
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER payment_charge_invoice_due AFTER INSERT ON payment_charge
    FOR EACH ROW EXECUTE FUNCTION invoice_due_of_charge()
  `
  yield* sql`
    CREATE FUNCTION invoice_due_of_return() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO invoice_due (transaction_id, due_at)
      SELECT transaction_id, NEW.updated_at FROM payment_charge
      WHERE (payment_method, charge_id) = (NEW.payment_method, NEW.charge_id);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER payment_reversal_invoice_due AFTER INSERT OR UPDATE ON payment_reversal
    FOR EACH ROW WHEN (NEW.status <> 'announced') EXECUTE FUNCTION invoice_due_of_return()
  `
  yield* sql`
    CREATE TRIGGER gateway_refund_invoice_due AFTER INSERT OR UPDATE ON gateway_refund
    FOR EACH ROW WHEN (NEW.status IN ('succeeded', 'failed')) EXECUTE FUNCTION invoice_due_of_return()
  `
  yield* sql`
    INSERT INTO invoice_due (transaction_id, due_at)
    SELECT c.transaction_id, c.created_at + interval '10 minutes' FROM payment_charge c
    WHERE NOT EXISTS (SELECT FROM invoice i WHERE i.transaction_id = c.transaction_id)
      OR EXISTS (SELECT FROM payment_claim k WHERE (k.payment_method, k.charge_id) = (c.payment_method, c.charge_id))
    ORDER BY c.created_at, c.transaction_id
  `
})

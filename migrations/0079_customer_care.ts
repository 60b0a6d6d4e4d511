import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Announcements of the operator, with the page up to which their mails are queued. */
const announcements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE announcement (
      -- Chosen by the caller, so that a repeated request finds its row.
      id uuid PRIMARY KEY,
      kind text NOT NULL CHECK (kind IN ('info', 'warning', 'maintenance')),
      title_en text NOT NULL CHECK (char_length(title_en) BETWEEN 3 AND 120),
      body_en text NOT NULL CHECK (char_length(body_en) BETWEEN 3 AND 4000),
      title_de text CHECK (char_length(title_de) BETWEEN 3 AND 120),
      body_de text CHECK (char_length(body_de) BETWEEN 3 AND 4000),
      audience text NOT NULL,
      -- A provider's name, a country, a kind of proxies, or the id of an account.
      audience_id text,
      by_banner boolean NOT NULL,
      by_mail boolean NOT NULL,
      starts_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
      published_by text NOT NULL CHECK (char_length(published_by) BETWEEN 1 AND 200),
      published_at timestamptz NOT NULL,
      ended_at timestamptz,
      ended_by text CHECK (char_length(ended_by) BETWEEN 1 AND 200),
      end_reason text CHECK (char_length(end_reason) BETWEEN 3 AND 500),
      -- The time of the next page of mails; null without mails and after the last page.
      mails_next_at timestamptz,
      -- The last account of the pages before.
      mails_after uuid,
      mails integer NOT NULL DEFAULT 0 CHECK (mails >= 0),
      CONSTRAINT announcement_languages CHECK (num_nonnulls(title_de, body_de) IN (0, 2)),
      CONSTRAINT announcement_audience CHECK (CASE audience
        WHEN 'all' THEN audience_id IS NULL
        WHEN 'provider' THEN char_length(audience_id) BETWEEN 1 AND 200
        WHEN 'country' THEN audience_id ~ '^[A-Z]{2}$'
        WHEN 'kind' THEN audience_id IN ('datacenter', 'residential', 'mobile')
        WHEN 'account' THEN audience_id ~ '^[0-9a-f-]{36}$'
        ELSE false
      END AND (audience = 'all' OR audience_id IS NOT NULL)),
      CONSTRAINT announcement_reaches CHECK (by_banner OR by_mail),
      CONSTRAINT announcement_time CHECK (ends_at <= published_at + interval '366 days' AND ends_at > published_at),
      CONSTRAINT announcement_ended CHECK (num_nonnulls(ended_at, ended_by, end_reason) IN (0, 3)),
      CONSTRAINT announcement_mails CHECK (by_mail OR (mails_next_at IS NULL AND mails_after IS NULL AND mails = 0))
    )
  `
  yield* sql`CREATE INDEX announcement_newest ON announcement (published_at, id)`
  yield* sql`CREATE INDEX announcement_current ON announcement (ends_at) WHERE by_banner AND ended_at IS NULL`
  yield* sql`CREATE INDEX announcement_due ON announcement (mails_next_at) WHERE mails_next_at IS NOT NULL`
  yield* sql`
    CREATE FUNCTION announcement_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'an announcement ends once, its mails go forward, and nothing else changes'
        USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER announcement_goes_forward BEFORE UPDATE ON announcement
    FOR EACH ROW WHEN (
      NEW.mails < OLD.mails
      OR coalesce(NEW.mails_after < OLD.mails_after, NEW.mails_after IS NULL AND OLD.mails_after IS NOT NULL)
      OR (OLD.mails_next_at IS NULL AND NEW.mails_next_at IS NOT NULL)
      OR (OLD.ended_at IS NOT NULL
        AND (NEW.ended_at, NEW.ended_by, NEW.end_reason) IS DISTINCT FROM (OLD.ended_at, OLD.ended_by, OLD.end_reason))
      OR to_jsonb(NEW) - '{ended_at,ended_by,end_reason,mails_next_at,mails_after,mails}'::text[]
        <> to_jsonb(OLD) - '{ended_at,ended_by,end_reason,mails_next_at,mails_after,mails}'::text[]
    ) EXECUTE FUNCTION announcement_refuse()
  `
  yield* sql`
    CREATE TRIGGER announcement_keep BEFORE DELETE OR TRUNCATE ON announcement
    FOR EACH STATEMENT EXECUTE FUNCTION announcement_refuse()
  `
})

/** The log of the mails to accounts, and whether an account wants news by mail. */
const mails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE mail_choice (
      user_id uuid PRIMARY KEY REFERENCES user_account (id),
      -- The code in the links of mails. It does nothing but change this row, so it is no secret of weight.
      code uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
      news_off_at timestamptz
    )
  `
  yield* sql`
    CREATE TABLE mail_log (
      -- The id of the mail in the outbox.
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      to_address text NOT NULL,
      kind text NOT NULL
        CHECK (kind IN ('email_verification', 'password_reset', 'sign_in_unlock', 'notice', 'announcement')),
      subject text,
      announcement_id uuid REFERENCES announcement (id),
      status text NOT NULL CHECK (status IN ('queued', 'delivered', 'failed', 'unknown', 'not_needed')),
      failure text CHECK (char_length(failure) BETWEEN 1 AND 300),
      created_at timestamptz NOT NULL,
      settled_at timestamptz,
      CONSTRAINT mail_log_settled CHECK ((status = 'queued') = (settled_at IS NULL)),
      CONSTRAINT mail_log_failure CHECK ((status = 'failed') = (failure IS NOT NULL)),
      CONSTRAINT mail_log_announcement CHECK ((kind = 'announcement') = (announcement_id IS NOT NULL)),
      -- An account gets the mail of an announcement at most once.
      CONSTRAINT mail_log_once UNIQUE (announcement_id, user_id)
    )
  `
  yield* sql`CREATE INDEX mail_log_user ON mail_log (user_id, created_at, id)`
  yield* sql`CREATE INDEX mail_log_age ON mail_log (created_at)`
  yield* sql`
    ALTER TABLE email_outbox
      ADD COLUMN announcement_id uuid REFERENCES announcement (id),
      -- The time at which an instance began to send a mail of an announcement. Another instance does not know whether it was
      -- sent, so it does not send it again.
      ADD COLUMN claimed_at timestamptz,
      -- The address at which the reader turns such mails off with one request (RFC 8058).
      ADD COLUMN unsubscribe_url text CHECK (char_length(unsubscribe_url) BETWEEN 1 AND 1000),
      ADD CONSTRAINT email_outbox_announcement CHECK (announcement_id IS NULL OR kind = 'notice')
  `
  yield* sql`CREATE INDEX email_outbox_announced ON email_outbox (announcement_id) WHERE announcement_id IS NOT NULL`
})

/** Notes of staff about a customer. They stay as written until the account is erased. */
const notes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE customer_note (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      text text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 2000),
      written_by text NOT NULL CHECK (char_length(written_by) BETWEEN 1 AND 200),
      created_at timestamptz NOT NULL
    )
  `
  yield* sql`CREATE INDEX customer_note_user ON customer_note (user_id, created_at, id)`
  yield* sql`
    CREATE FUNCTION customer_note_keep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM user_account WHERE id = OLD.user_id AND deleted_at IS NOT NULL) THEN
        RETURN OLD;
      END IF;
      RAISE EXCEPTION 'a note does not change' USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER customer_note_keep BEFORE UPDATE OR DELETE ON customer_note
    FOR EACH ROW EXECUTE FUNCTION customer_note_keep()
  `
  yield* sql`
    CREATE TRIGGER customer_note_keep_all BEFORE TRUNCATE ON customer_note
    FOR EACH STATEMENT EXECUTE FUNCTION customer_note_keep()
  `
})

/** The uses of a promo code in the order in which staff read them. */
const promoCodes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX promo_code_use_newest ON promo_code_use (promo_code_id, created_at, order_id)`
})

export default Effect.all([announcements, mails, notes, promoCodes], { discard: true })

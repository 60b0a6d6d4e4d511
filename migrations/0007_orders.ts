import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE proxy_order (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      api_key_id uuid,
      offer_id integer NOT NULL REFERENCES offer (id),
      provider text NOT NULL,
      external_id text NOT NULL,
      status text NOT NULL CHECK (status IN ('new', 'waiting_payment', 'paid', 'provisioned',
        'provisioning_failed', 'cancelled', 'refunded', 'expired')),
      proxy_status text NOT NULL CHECK (proxy_status IN ('pending', 'active', 'expiring', 'expired', 'cancelled')),
      proxy_type text NOT NULL CHECK (proxy_type IN ('datacenter', 'residential', 'mobile')),
      mode text NOT NULL,
      ip_version text NOT NULL CHECK (ip_version IN ('IPv4', 'IPv6')),
      protocol text NOT NULL CHECK (protocol IN ('HTTP', 'HTTPS', 'SOCKS5')),
      country text NOT NULL,
      city text,
      period_days integer NOT NULL CHECK (period_days > 0),
      period_months integer NOT NULL CHECK (period_months >= 0),
      tarification_index integer NOT NULL CHECK (tarification_index >= 0),
      bandwidth_gb double precision CHECK (bandwidth_gb > 0),
      currency text NOT NULL CHECK (currency IN ('USD', 'STAR')),
      total bigint NOT NULL CHECK (total >= 0),
      total_usd bigint NOT NULL CHECK (total_usd >= 0),
      payment_method text NOT NULL CHECK (payment_method IN ('wallet', 'crypto_gateway', 'card_gateway',
        'messenger_stars')),
      payment_intent_id uuid,
      payment_url text,
      auto_renew boolean NOT NULL,
      notes text,
      provider_proxy_id text,
      host text,
      port integer CHECK (port BETWEEN 1 AND 65535),
      username text,
      password text,
      whitelisted_ips text[] NOT NULL DEFAULT '{}',
      cycle_started_at timestamptz,
      expiring_at timestamptz,
      expires_at timestamptz,
      provision_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      UNIQUE (provider, provider_proxy_id),
      -- The columns of a delivered proxy are all set, or none is.
      CHECK (num_nulls(provider_proxy_id, host, port, username, password, cycle_started_at, expiring_at, expires_at)
        IN (0, 8)),
      CHECK (provider_proxy_id IS NOT NULL OR status IN ('new', 'waiting_payment', 'paid', 'provisioning_failed',
        'cancelled', 'refunded')),
      CHECK (provider_proxy_id IS NULL OR status IN ('provisioned', 'expired', 'cancelled', 'refunded')),
      CHECK (status <> 'provisioned' OR proxy_status IN ('active', 'expiring')),
      CHECK (status <> 'expired' OR proxy_status = 'expired'),
      CHECK (status NOT IN ('new', 'waiting_payment', 'paid', 'provisioning_failed') OR proxy_status = 'pending'),
      CHECK (status NOT IN ('cancelled', 'refunded') OR proxy_status = 'cancelled'),
      CHECK (proxy_status NOT IN ('active', 'expiring') OR status = 'provisioned'),
      CHECK (cycle_started_at <= expiring_at AND expiring_at <= expires_at)
    )
  `
  yield* sql`CREATE INDEX proxy_order_of_user ON proxy_order (user_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX proxy_order_to_provision ON proxy_order (provision_at) WHERE status = 'paid'`
  yield* sql`CREATE INDEX proxy_order_to_expiring ON proxy_order (expiring_at) WHERE proxy_status = 'active'`
  yield* sql`CREATE INDEX proxy_order_to_expired ON proxy_order (expires_at) WHERE proxy_status = 'expiring'`

  yield* sql`
    CREATE FUNCTION proxy_order_moves() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF OLD.status <> NEW.status AND NOT (OLD.status, NEW.status) IN (
        ('new', 'waiting_payment'), ('new', 'paid'), ('waiting_payment', 'paid'), ('waiting_payment', 'cancelled'),
        ('paid', 'provisioned'), ('paid', 'provisioning_failed'), ('provisioning_failed', 'refunded'),
        ('provisioned', 'expired'), ('provisioned', 'cancelled'), ('provisioned', 'refunded')
      ) THEN
        RAISE EXCEPTION 'an order may not go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
      END IF;
      IF OLD.proxy_status <> NEW.proxy_status AND NOT (OLD.proxy_status, NEW.proxy_status) IN (
        ('pending', 'active'), ('pending', 'cancelled'), ('active', 'expiring'), ('active', 'cancelled'),
        ('expiring', 'active'), ('expiring', 'expired'), ('expiring', 'cancelled')
      ) THEN
        RAISE EXCEPTION 'a proxy may not go from % to %', OLD.proxy_status, NEW.proxy_status
          USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER proxy_order_moves BEFORE UPDATE OF status, proxy_status ON proxy_order
    FOR EACH ROW EXECUTE FUNCTION proxy_order_moves()
  `
  yield* sql`
    CREATE FUNCTION proxy_order_begins() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.status NOT IN ('new', 'waiting_payment', 'paid') THEN
        RAISE EXCEPTION 'an order may not begin as %', NEW.status USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER proxy_order_begins BEFORE INSERT ON proxy_order
    FOR EACH ROW EXECUTE FUNCTION proxy_order_begins()
  `
  yield* sql`
    ALTER TABLE wallet_transaction ADD CONSTRAINT wallet_transaction_order_exists
    FOREIGN KEY (order_id) REFERENCES proxy_order (id) DEFERRABLE INITIALLY DEFERRED
  `

  // The service writes the attempt before it calls the provider. An attempt without an outcome may have worked: the
  // service looks it up by the order's id and never repeats it. An order has at most one such attempt. The order of an
  // abandoned attempt was refunded while the outcome was unknown; `OrphanRelease` looks it up again at `look_at`.
  yield* sql`
    CREATE TABLE provisioning_attempt (
      id uuid PRIMARY KEY,
      order_id uuid NOT NULL REFERENCES proxy_order (id),
      provider text NOT NULL,
      started_at timestamptz NOT NULL,
      outcome text CHECK (outcome IN ('provisioned', 'refused', 'not_executed', 'abandoned')),
      detail text,
      finished_at timestamptz,
      look_at timestamptz,
      CHECK ((outcome IS NULL) = (finished_at IS NULL)),
      CHECK (outcome IS DISTINCT FROM 'abandoned' OR look_at IS NOT NULL)
    )
  `
  yield* sql`CREATE UNIQUE INDEX provisioning_attempt_open ON provisioning_attempt (order_id) WHERE outcome IS NULL`
  yield* sql`CREATE INDEX provisioning_attempt_abandoned ON provisioning_attempt (look_at) WHERE outcome = 'abandoned'`
  yield* sql`CREATE INDEX provisioning_attempt_of_order ON provisioning_attempt (order_id, started_at)`
})

import type { mails as english } from "../english/Mails.ts"

/** A mail about something that happened to a proxy, an order or a payment; `{{message}}` says what. */
const notice = (subject: string) => ({
  subject,
  text: `{{message}}

Im Dashboard: {{page}}
Bestellung: {{order_id}}`
})

/** Every mail that the service sends. */
export const mails: Readonly<Record<keyof typeof english, Readonly<Record<"subject" | "text", string>>>> = {
  email_verification: {
    subject: "Bestätigen Sie Ihre E-Mail-Adresse",
    text: `Bitte bestätigen Sie, dass diese E-Mail-Adresse Ihnen gehört. Öffnen Sie innerhalb von 24 Stunden diesen Link:

  {{link}}

Sie verwenden die API? Senden Sie dieses Token:

  {{token}}

  curl {{api_url}}/auth/email/verify \\
    -H 'Content-Type: application/json' \\
    -d '{"token":"{{token}}"}'

Sie haben sich nicht bei uns registriert? Dann hat eine andere Person Ihre Adresse verwendet. Öffnen Sie den Link nicht. Sie können diese Mail ignorieren oder das Konto übernehmen: Wählen Sie ein neues Passwort ({{app_url}}/forgot-password). Solange die Adresse nicht bestätigt ist, entfernt das alles, was die andere Person eingerichtet hat.`
  },
  password_reset: {
    subject: "Wählen Sie ein neues Passwort",
    text: `Jemand möchte das Passwort Ihres Kontos zurücksetzen. Mit diesem Link wählen Sie ein neues. Er funktioniert einmal, innerhalb einer Stunde:

  {{link}}

Sie verwenden die API? Senden Sie dieses Token mit dem neuen Passwort:

  {{token}}

  curl {{api_url}}/auth/password/reset \\
    -H 'Content-Type: application/json' \\
    -d '{"token":"{{token}}","new_password":"..."}'

Das waren nicht Sie? Ignorieren Sie diese Mail; Ihr Passwort bleibt, wie es ist.`
  },
  sign_in_unlock: {
    subject: "Melden Sie sich bei Ihrem Konto an",
    text: `Für Ihr Konto wurden zu viele falsche Passwörter eingegeben. Deshalb ist die Anmeldung eine Zeit lang gesperrt. Mit diesem Link können Sie sich in den nächsten zwei Stunden mit Ihrem Passwort anmelden:

  {{link}}

Sie verwenden die API? Senden Sie dieses Token bei der Anmeldung:

  {{token}}

  curl {{api_url}}/auth/login \\
    -H 'Content-Type: application/json' \\
    -d '{"email":"...","password":"...","unlock_token":"{{token}}"}'

Das waren nicht Sie? Ignorieren Sie diese Mail. Vielleicht rät eine andere Person Ihr Passwort; auch mit dem Link braucht die Anmeldung aber Ihr Passwort.`
  },
  password_changed: {
    subject: "Ihr Passwort wurde geändert",
    text: `Das Passwort Ihres Kontos wurde geändert. Alle anderen Geräte wurden abgemeldet.

Die API-Schlüssel, Webhook-Endpunkte und Passkeys des Kontos funktionieren weiter. Sehen Sie sie an, und entfernen Sie alle, die Sie nicht kennen: {{app_url}}/keys, {{app_url}}/webhooks, {{app_url}}/security

Sie haben das Passwort nicht geändert? Wählen Sie jetzt ein neues: {{app_url}}/forgot-password`
  },
  email_changed: {
    subject: "Ihre E-Mail-Adresse wurde geändert",
    text: `Die E-Mail-Adresse Ihres Kontos ist jetzt {{email}}. An die bisherige Adresse gehen keine Mails des Kontos mehr.

Sie haben sie nicht geändert? Dann hat eine andere Person Zugang zu Ihrem Konto.
Schreiben Sie jetzt an {{support}}.`
  },
  second_factor_on: {
    subject: "Die Anmeldung in zwei Schritten ist eingeschaltet",
    text: `Die Anmeldung bei Ihrem Konto braucht jetzt neben dem Passwort einen Code Ihrer Authenticator-App. Alle anderen Geräte wurden abgemeldet. Bewahren Sie Ihre Wiederherstellungscodes sicher auf: Ohne die App kommen Sie nur mit ihnen hinein.

Sie haben das nicht eingeschaltet? Dann kennt eine andere Person Ihr Passwort. Schreiben Sie jetzt an {{support}}, und wählen Sie ein neues Passwort: {{app_url}}/forgot-password`
  },
  second_factor_off: {
    subject: "Die Anmeldung in zwei Schritten ist ausgeschaltet",
    text: `Die Anmeldung bei Ihrem Konto braucht wieder nur das Passwort. Die Wiederherstellungscodes funktionieren nicht mehr, und alle anderen Geräte wurden abgemeldet.

Sie haben das nicht ausgeschaltet? Wählen Sie jetzt ein neues Passwort: {{app_url}}/forgot-password. Schalten Sie dann die Anmeldung in zwei Schritten wieder ein: {{app_url}}/security`
  },
  recovery_code_used: {
    subject: "Ein Wiederherstellungscode wurde verwendet",
    text: `Jemand hat statt der Authenticator-App einen Wiederherstellungscode Ihres Kontos verwendet. Verbleibende Wiederherstellungscodes: {{codes_left}}.

Das waren Sie? Holen Sie sich rechtzeitig neue Codes: {{app_url}}/security

Das waren nicht Sie? Dann kennt eine andere Person Ihr Passwort und Ihre Codes. Wählen Sie jetzt ein neues Passwort: {{app_url}}/forgot-password. Holen Sie sich dann neue Codes: {{app_url}}/security`
  },
  passkey_added: {
    subject: "Ein Passkey wurde hinzugefügt",
    text: `Der Passkey „{{passkey}}“ wurde zu Ihrem Konto hinzugefügt. Mit ihm meldet man sich ohne Passwort und ohne Code an. Alle anderen Geräte wurden abgemeldet.

Sie haben ihn nicht hinzugefügt? Dann kennt eine andere Person Ihr Passwort. Entfernen Sie den Passkey jetzt: {{app_url}}/security. Wählen Sie dann ein neues Passwort: {{app_url}}/forgot-password`
  },
  passkey_removed: {
    subject: "Ein Passkey wurde entfernt",
    text: `Dieser Passkey wurde aus Ihrem Konto entfernt und funktioniert nicht mehr: {{passkey}}. Alle anderen Geräte wurden abgemeldet.

Sie haben das nicht veranlasst? Wählen Sie jetzt ein neues Passwort: {{app_url}}/forgot-password. Prüfen Sie dann Ihre Passkeys: {{app_url}}/security`
  },
  passkey_refused: {
    subject: "Ein Passkey wurde abgelehnt",
    text: `Jemand wollte sich mit dem Passkey „{{passkey}}“ bei Ihrem Konto anmelden. Wir haben ihn abgelehnt, weil sein Zähler rückwärts ging. Das kommt vor, wenn es eine Kopie des Passkeys gibt.

Entfernen Sie diesen Passkey, und fügen Sie einen anderen hinzu: {{app_url}}/security`
  },
  account_restricted: {
    subject: "Ihr Konto wurde gesperrt",
    text: `Wir haben Ihr Konto gesperrt. Der Grund: {{public_reason}}

Bis das geklärt ist, kann nichts gekauft werden, nichts wird verlängert, und Ihre Proxys funktionieren nicht oder haben andere Zugangsdaten. Die bezahlte Zeit läuft weiter. Ihr Geld bleibt in Ihrem Guthaben.

Sie haben eine Frage, oder Sie halten das für einen Irrtum? Schreiben Sie an {{support}}.`
  },
  account_free: {
    subject: "Ihr Konto ist wieder frei",
    text: `Ihr Konto ist nicht mehr gesperrt. Die Proxys, deren Zeit nicht abgelaufen ist, funktionieren innerhalb einer Minute wieder.

Melden Sie sich an: {{app_url}}`
  },
  proxy_expiring: notice("Ihr Proxy läuft bald ab"),
  renewal_failed: notice("Ihr Proxy konnte nicht verlängert werden"),
  renewal_price: notice("Die Verlängerung Ihres Proxys kostet mehr"),
  auto_top_up_made: notice("Ihr Guthaben wurde aufgeladen"),
  auto_top_up_failed: notice("Ihre automatische Aufladung ist fehlgeschlagen"),
  auto_top_up_stopped: notice("Die automatische Aufladung ist aus"),
  auto_top_up_limit: notice("Die automatische Aufladung hat ihre Grenze erreicht"),
  provisioning_failed: notice("Ihre Bestellung konnte nicht geliefert werden"),
  change_failed: notice("Eine Änderung Ihres Proxys ist gescheitert"),
  proxy_reduced: notice("Ihr Proxy wurde vom Anbieter eingeschränkt"),
  proxy_replaced: notice("Ihr Proxy hat eine andere Adresse"),
  proxy_ended: notice("Ihr Proxy wurde vorzeitig beendet"),
  webhook_failing: notice("Ihr Webhook-Endpunkt nimmt nichts an"),
  webhook_disabled: notice("Ihr Webhook-Endpunkt wurde abgeschaltet"),
  payment_reversed: notice("Ihre Zahlung wurde erstattet oder angefochten"),
  payout: notice("Ihre Auszahlung"),
  announcement: {
    subject: "{{title}}",
    text: `{{message}}

Zeit: {{window}}

Sie möchten keine Neuigkeiten per E-Mail mehr? Öffnen Sie diesen Link: {{unsubscribe}}`
  },
  todo: {
    subject: "{{brand}}: etwas wartet auf einen Menschen",
    text: `Das wartet auf einen Menschen:

{{items}}

Die Liste: {{page}}`
  }
}

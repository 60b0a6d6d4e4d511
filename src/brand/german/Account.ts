import type { account as english } from "../english/Account.ts"

/** The pages of a person's own account. */
export const account: Readonly<Record<keyof typeof english, string>> = {
  "account.title": "Konto",
  "account.about": "Ihre Angaben, und was Sie ändern können.",
  "account.profile_title": "Profil",
  "account.name": "Name",
  "account.name_hint": "Leer: Wir speichern keinen Namen",
  "account.name_wrong": "Geben Sie einen Namen mit höchstens 100 Zeichen ein",
  "account.name_button": "Namen speichern",
  "account.name_saved": "Ihr Name ist gespeichert.",
  "account.email_link": "Ändern",
  "account.email_verify_link": "Bestätigen oder ändern",
  "account.referral_code": "Empfehlungscode",
  "account.referral_link": "Empfehlungen",
  "account.created": "Konto seit",
  "account.language": "Sprache",
  "account.language_is": "Diese Seiten sind auf {{language}}.",
  "account.language_of_mails": "E-Mails und Mitteilungen an Sie sind auf {{language}}.",
  "account.manage_title": "Sicherheit und Daten",
  "account.password_wrong": "Das ist nicht das Passwort Ihres Kontos",
  "account.password_missing": "Geben Sie das Passwort Ihres Kontos ein",

  "account_password.title": "Passwort ändern",
  "account_password.link_about": "Meldet alle anderen Geräte ab",
  "account_password.about": "Das meldet alle anderen Geräte ab und trennt alle Apps. Dieser Browser bleibt angemeldet.",
  "account_password.current": "Bisheriges Passwort",
  "account_password.button": "Passwort ändern",
  "account_password.changed":
    "Ihr Passwort ist geändert. Alle anderen Geräte sind abgemeldet, und alle Apps sind getrennt.",

  "account_sessions.title": "Wo Sie angemeldet sind",
  "account_sessions.link_about": "Geräte, jedes mit einem Knopf zum Abmelden",
  "account_sessions.about": "Wenn Sie ein Gerät nicht kennen, melden Sie es ab und ändern Sie Ihr Passwort.",
  "account_sessions.device": "Gerät",
  "account_sessions.on": "{{browser}} auf {{system}}",
  "account_sessions.unknown": "Unbekanntes Gerät",
  "account_sessions.current": "Dieser Browser",
  "account_sessions.address": "Adresse",
  "account_sessions.address_unknown": "unbekannt",
  "account_sessions.last_used": "Zuletzt verwendet",
  "account_sessions.created": "Angemeldet",
  "account_sessions.end_button": "Abmelden",
  "account_sessions.end_label": "Abmelden: {{device}}",
  "account_sessions.ended": "Das Gerät ist abgemeldet.",
  "account_sessions.others_title": "Überall sonst abmelden",
  "account_sessions.others_about":
    "Dieser Browser bleibt angemeldet. API-Schlüssel und verbundene Apps funktionieren weiter: Widerrufen und trennen Sie sie auf ihren Seiten.",
  "account_sessions.others_button": "Alle anderen Geräte abmelden",
  "account_sessions.all_title": "Überall abmelden",
  "account_sessions.all_about": "Beendet jede Sitzung, auch diese. Danach melden Sie sich neu an.",
  "account_sessions.all_button": "Überall abmelden",
  "account_sessions.others_ended": "Alle anderen Geräte sind abgemeldet.",
  "failure.SessionNotFound": "Dieses Gerät ist schon abgemeldet.",

  "account_export.title": "Ihre Daten herunterladen",
  "account_export.link_about": "Alles, was wir über Sie speichern, in einer Datei",
  "account_export.about":
    "Eine JSON-Datei mit Profil, Guthaben, Buchungen, Zahlungen, Bestellungen, IP-Prüfungen, API-Schlüsseln, Webhooks, Mitteilungen, verbundenen Apps und Geräten. Sie enthält die Zugangsdaten Ihrer laufenden Proxys, aber keinen API-Schlüssel und kein Signaturgeheimnis.",
  "account_export.keep": "Bewahren Sie die Datei sicher auf.",
  "account_export.button": "Herunterladen",

  "account_delete.title": "Konto löschen",
  "account_delete.link_about": "Beendet alles, endgültig",
  "account_delete.about": "Sie können das nicht rückgängig machen. Wir erstatten nichts.",
  "account_delete.lost_title": "Was Sie verlieren",
  "account_delete.balance": "Guthaben",
  "account_delete.proxies": "Proxys, die jetzt funktionieren",
  "account_delete.ends":
    "Ihre Proxys enden sofort. Alle Geräte werden abgemeldet. API-Schlüssel, Webhooks und verbundene Apps funktionieren nicht mehr. Wir löschen Ihre E-Mail-Adresse und Ihren Namen.",
  "account_delete.kept":
    "Wir behalten die Aufzeichnungen von Zahlungen und Bestellungen ohne Ihre E-Mail-Adresse und Ihren Namen.",
  "account_delete.confirm_title": "Mit Ihrem Passwort bestätigen",
  "account_delete.button": "Mein Konto löschen",
  "failure.AccountHasPayout":
    "Eine Auszahlung Ihres Guthabens ist offen. Brechen Sie sie auf der Seite Ihres Guthabens ab, oder warten Sie, bis sie erledigt ist.",
  "failure.AccountRestricted":
    "Ihr Konto ist eingeschränkt. Es kann erst gelöscht werden, wenn das geklärt ist. Bitte fragen Sie unseren Support.",
  "account_delete.done_title": "Konto gelöscht",
  "account_delete.done": "Ihr Konto ist gelöscht",
  "account_delete.done_about":
    "Sie sind überall abgemeldet. Sie können sich mit derselben E-Mail-Adresse wieder registrieren.",

  "email.title": "Ihre E-Mail-Adresse",
  "email.none": "Ihr Konto hat keine E-Mail-Adresse.",
  "email.verified": "Bestätigt",
  "email.unverified": "Nicht bestätigt",
  "email.verify_about":
    "Wir haben einen Link an diese Adresse geschickt. Öffnen Sie ihn innerhalb von 24 Stunden. Wenn Sie die E-Mail nicht finden, sehen Sie im Spam-Ordner nach, oder fordern Sie den Link noch einmal an.",
  "email.resend_button": "Link noch einmal schicken",
  "email.new": "Neue E-Mail-Adresse",
  "email.about": "Wir schicken einen Link an die neue Adresse. Bis Sie ihn öffnen, ist die Adresse nicht bestätigt.",
  "email.add_button": "E-Mail-Adresse hinzufügen",
  "email.change_button": "E-Mail-Adresse ändern",
  "email.changed": "Wir haben einen Link an die neue Adresse geschickt. Öffnen Sie ihn, um die Adresse zu bestätigen.",
  "email.mailed": "Wir haben den Link noch einmal geschickt.",
  "email.verified_already": "Ihre E-Mail-Adresse ist schon bestätigt.",
  "email.same": "Das ist schon Ihre E-Mail-Adresse",
  "email.taken": "Ein anderes Konto hat diese E-Mail-Adresse",
  "email.changed_often": "Sie haben Ihre E-Mail-Adresse oft geändert. {{when}}",
  "email.asked_often": "Sie haben viele Links angefordert. Prüfen Sie Ihr Postfach. {{when}}"
}

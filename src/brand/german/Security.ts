import type { security as english } from "../english/Security.ts"

/** The pages of the second factor and of the passkeys. */
export const security: Readonly<Record<keyof typeof english, string>> = {
  "security.title": "Sicherheit",
  "security.about": "Passwort, Anmeldung in zwei Schritten, Passkeys und die Geräte, auf denen Sie angemeldet sind.",
  "security.second_factor": "Anmeldung in zwei Schritten",
  "security.more_title": "Passwort und Geräte",
  "security.on": "An",
  "security.off": "Aus",
  "security.off_about":
    "Bei der Anmeldung in zwei Schritten brauchen Sie Ihr Passwort und einen Code einer Authenticator-App auf Ihrem Telefon. Ein gestohlenes Passwort reicht dann nicht. API-Schlüssel und verbundene Apps werden nicht nach einem Code gefragt. Beim Einschalten werden alle anderen Geräte abgemeldet.",
  "security.verify_first": "Bestätigen Sie zuerst Ihre E-Mail-Adresse: {{link}}",
  "security.begin_button": "Einschalten",
  "security.on_about": "Seit {{date}} brauchen Sie zur Anmeldung Ihr Passwort und einen Code Ihrer Authenticator-App.",
  "security.codes_left_one": "Sie haben noch {{count}} Wiederherstellungscode.",
  "security.codes_left_other": "Sie haben noch {{count}} Wiederherstellungscodes.",
  "security.renew_link": "Neue Wiederherstellungscodes",
  "security.turn_off_link": "Ausschalten",
  "security.turned_off": "Die Anmeldung in zwei Schritten ist aus. Alle anderen Geräte sind abgemeldet.",
  "security.setup_title": "Anmeldung in zwei Schritten einschalten",
  "security.scan_title": "1. Konto in der App hinzufügen",
  "security.scan":
    "Öffnen Sie auf Ihrem Telefon eine Authenticator-App, zum Beispiel Aegis, 2FAS, Google Authenticator oder 1Password, und scannen Sie diesen Code.",
  "security.qr": "QR-Code für die Authenticator-App. Dasselbe Geheimnis steht darunter als Text.",
  "security.open_link": "In einer App auf diesem Gerät öffnen",
  "security.type_secret": "Oder tippen Sie dieses Geheimnis in die App:",
  "security.secret": "Geheimnis",
  "security.confirm_title": "2. Ersten Code eingeben",
  "security.confirm_hint": "Die 6 Ziffern, die die App jetzt zeigt",
  "security.confirm_button": "Einschalten",
  "security.otp_missing": "Geben Sie den Code ein",
  "security.turned_on": "Die Anmeldung in zwei Schritten ist an. Alle anderen Geräte sind abgemeldet.",
  "security.codes_title": "Ihre Wiederherstellungscodes",
  "security.codes_heading": "Bewahren Sie diese Codes sicher auf",
  "security.codes_about":
    "Wenn Sie Ihr Telefon verlieren, melden Sie sich mit einem Wiederherstellungscode an. Jeder Code funktioniert einmal. Wir zeigen sie nur jetzt: Drucken Sie sie aus, oder speichern Sie sie in einem Passwortmanager.",
  "security.codes_lost": "Wenn Sie Telefon und Codes verlieren, kann Ihnen nur der Betreiber dieses Dienstes helfen.",
  "security.codes_lost_support": "Wenn Sie Telefon und Codes verlieren, kann Ihnen nur unser Support helfen: {{link}}",
  "security.download_button": "Als Text herunterladen",
  "security.kept_link": "Ich habe sie aufbewahrt",
  "security.codes_wrong": "Dieses Formular enthält Ihre Wiederherstellungscodes nicht. Holen Sie sich neue.",
  "security.renew_title": "Neue Wiederherstellungscodes",
  "security.renew_about":
    "Sie bekommen zehn neue Codes, und die bisherigen funktionieren nicht mehr. Alle anderen Geräte werden abgemeldet.",
  "security.renew_button": "Neue Codes anzeigen",
  "security.renewed":
    "Das sind Ihre neuen Wiederherstellungscodes. Die bisherigen funktionieren nicht mehr. Alle anderen Geräte sind abgemeldet.",
  "security.turn_off_title": "Anmeldung in zwei Schritten ausschalten",
  "security.turn_off_about":
    "Zur Anmeldung reicht dann Ihr Passwort, und die Wiederherstellungscodes funktionieren nicht mehr. Alle anderen Geräte werden abgemeldet. Für ein anderes Telefon schalten Sie sie hier aus und mit dem neuen Telefon wieder ein.",
  "security.turn_off_button": "Ausschalten",

  "passkey.title": "Passkeys",
  "passkey.about":
    "Mit einem Passkey melden Sie sich mit Fingerabdruck, Gesicht oder der PIN Ihres Geräts an. Er braucht weder Passwort noch Code und funktioniert nur auf dieser Website. Niemand kann Sie also dazu bringen, ihn preiszugeben. Ihr Passwort gilt weiter.",
  "passkey.not_possible": "Browser bieten Passkeys nur für Adressen an, die mit https beginnen.",
  "passkey.name": "Name",
  "passkey.name_hint": "Damit Sie ihn wiedererkennen, zum Beispiel „Mein Telefon“",
  "passkey.name_wrong": "Geben Sie einen Namen mit höchstens 60 Zeichen ein",
  "passkey.created": "Hinzugefügt",
  "passkey.last_used": "Zuletzt benutzt",
  "passkey.never": "nie",
  "passkey.kept": "Gespeichert",
  "passkey.synced": "auf mehreren Geräten oder in einer Sicherung",
  "passkey.not_synced": "auf einem Gerät",
  "passkey.copied": "Vielleicht gibt es eine Kopie. Entfernen Sie ihn",
  "passkey.change_link": "Ändern",
  "passkey.add_link": "Passkey hinzufügen",
  "passkey.new_title": "Passkey hinzufügen",
  "passkey.new_about": "Alle anderen Geräte werden abgemeldet, und Sie bekommen eine E-Mail über den Passkey.",
  "passkey.next_button": "Weiter",
  "passkey.make_about":
    "Ihr Browser fragt, wo der Passkey gespeichert werden soll, und nach Fingerabdruck, Gesicht oder einer PIN.",
  "passkey.make_button": "Passkey erstellen",
  "passkey.needs_browser":
    "Dieser Browser kann hier keine Passkeys erstellen. Er braucht Skripte und eine Version von 2025 oder neuer.",
  "passkey.added": "Der Passkey wurde hinzugefügt. Er gilt ab der nächsten Anmeldung.",
  "passkey.rename_title": "Namen ändern",
  "passkey.rename_button": "Speichern",
  "passkey.renamed": "Der Passkey hat einen anderen Namen.",
  "passkey.remove_title": "Passkey entfernen",
  "passkey.remove_title_of": "{{name}} entfernen",
  "passkey.remove_about":
    "Er funktioniert dann nicht mehr, und alle anderen Geräte werden abgemeldet. Entfernen Sie ihn auch auf Ihrem Gerät: Das können wir nicht.",
  "passkey.remove_link": "Entfernen",
  "passkey.remove_button": "Passkey entfernen",
  "passkey.removed": "Der Passkey wurde entfernt.",
  "passkey.sign_in_button": "Mit Passkey anmelden",
  "passkey.second_button": "Stattdessen einen Passkey benutzen",
  "passkey.failed":
    "Ihr Browser hat keinen Passkey benutzt. Versuchen Sie es noch einmal, oder melden Sie sich ohne Passkey an.",
  "passkey.not_made": "Ihr Browser hat keinen Passkey erstellt. Bitte versuchen Sie es noch einmal.",
  "passkey.known": "Dieses Gerät hat schon einen Passkey für Ihr Konto.",
  "passkey.refused":
    "Dieser Passkey funktioniert hier nicht. Melden Sie sich anders an, und prüfen Sie Ihre Passkeys auf der Seite „Sicherheit“.",
  "passkey.too_late":
    "Diese Seite war länger als 5 Minuten offen, oder der Passkey wurde für sie schon benutzt. Bitte versuchen Sie es noch einmal.",

  "failure.PasskeyTooLate":
    "Das hat länger als 5 Minuten gedauert oder wurde zweimal gesendet. Prüfen Sie die Liste, und beginnen Sie noch einmal, wenn der Passkey fehlt.",
  "failure.PasskeyNotMade":
    "Ihr Browser hat keinen Passkey erstellt, den wir annehmen. Versuchen Sie es noch einmal, oder benutzen Sie ein anderes Gerät.",
  "failure.PasskeyKnown": "Dieser Passkey wurde schon hinzugefügt.",
  "failure.PasskeyNotFound": "Diesen Passkey gibt es nicht. Vielleicht wurde er schon entfernt.",
  "failure.TooManyPasskeys": "Sie haben schon 10 Passkeys. Entfernen Sie zuerst einen.",
  "failure.PasskeysNotPossible": "Browser bieten Passkeys nur für Adressen an, die mit https beginnen.",
  "failure.SecondFactorNeedsEmail": "Bestätigen Sie zuerst Ihre E-Mail-Adresse, auf der Seite „Ihre E-Mail-Adresse“.",
  "failure.SecondFactorOn":
    "Die Anmeldung in zwei Schritten ist schon an. Wenn Sie Ihre Wiederherstellungscodes nicht gesehen haben, holen Sie sich hier neue.",
  "failure.SecondFactorOff": "Die Anmeldung in zwei Schritten ist aus.",
  "failure.SecondFactorNotStarted":
    "Das Geheimnis wurde vor mehr als 15 Minuten gezeigt oder in einem anderen Browser. Beginnen Sie noch einmal."
}

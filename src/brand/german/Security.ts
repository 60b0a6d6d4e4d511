import type { security as english } from "../english/Security.ts"

/** The pages of the second factor. */
export const security: Readonly<Record<keyof typeof english, string>> = {
  "security.title": "Sicherheit",
  "security.about": "Schützen Sie Ihr Konto mit mehr als dem Passwort.",
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

  "failure.SecondFactorNeedsEmail": "Bestätigen Sie zuerst Ihre E-Mail-Adresse, auf der Seite „Ihre E-Mail-Adresse“.",
  "failure.SecondFactorOn":
    "Die Anmeldung in zwei Schritten ist schon an. Wenn Sie Ihre Wiederherstellungscodes nicht gesehen haben, holen Sie sich hier neue.",
  "failure.SecondFactorOff": "Die Anmeldung in zwei Schritten ist aus.",
  "failure.SecondFactorNotStarted":
    "Das Geheimnis wurde vor mehr als 15 Minuten gezeigt oder in einem anderen Browser. Beginnen Sie noch einmal."
}

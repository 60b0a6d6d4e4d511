import type { customerCare as english } from "../english/CustomerCare.ts"

/** Help for one customer in the back office. */
export const customerCare: Readonly<Record<keyof typeof english, string>> = {
  "care.title": "Hilfe",
  "care.notes": "Notizen",
  "care.notes_none": "Zu diesem Kunden gibt es keine Notiz.",
  "care.note": "Notiz",
  "care.note_link": "Notiz schreiben",
  "care.note_title": "Notiz schreiben",
  "care.note_about": "Kollegen lesen sie, der Kunde nicht. Niemand kann sie ändern.",
  "care.note_button": "Notiz ablegen",
  "care.note_wrong": "Schreiben Sie 1 bis 2.000 Zeichen",
  "care.note_done": "Die Notiz ist abgelegt.",
  "care.mails": "E-Mails",
  "care.mails_none": "Keine E-Mail in den letzten 180 Tagen.",
  "care.mail": "E-Mail",
  "care.address": "An",
  "care.kind_verification": "Link, der die E-Mail-Adresse bestätigt",
  "care.kind_reset": "Link für ein neues Passwort",
  "care.kind_unlock": "Link, der die Anmeldung freigibt",
  "care.kind_notice": "Mitteilung",
  "care.kind_announcement": "Ankündigung",
  "care.queued": "Wartet",
  "care.delivered": "An den Mailserver übergeben",
  "care.failed": "Gescheitert",
  "care.unknown": "Vielleicht gesendet",
  "care.not_needed": "Nicht mehr nötig",
  "care.resend_button": "Bestätigungsmail erneut senden",
  "care.resend_done": "Die Bestätigungsmail ist unterwegs.",
  "care.sign_out_link": "Alle Sitzungen beenden",
  "care.sign_out_title": "Alle Sitzungen beenden?",
  "care.sign_out_about":
    "Meldet den Kunden überall ab und beendet die Verbindungen von Apps. API-Schlüssel gelten weiter.",
  "care.sign_out_button": "Alle Sitzungen beenden",
  "care.sign_out_done": "Alle Sitzungen sind beendet.",
  "care.export_link": "Daten exportieren",
  "care.export_title": "Alles über den Kunden exportieren",
  "care.export_about":
    "Die Datei, die auch der Kunde herunterladen kann. Sie enthält die Zugangsdaten von Proxys: Geben Sie sie nur dem Kunden.",
  "care.export_button": "Datei herunterladen",
  "care.erase_link": "Konto löschen",
  "care.erase_title": "Dieses Konto endgültig löschen?",
  "care.erase_about":
    "Niemand kann das rückgängig machen. Heben Sie vorher Sperren auf und erledigen Sie Auszahlungen.",
  "care.erase_button": "Konto löschen",
  "care.lost_money": "Geld, das verloren geht",
  "care.lost_proxies": "Proxys, die ohne Erstattung enden",
  "care.erased":
    "E-Mail-Adresse, Name, Passwort, Notizen, die Liste der E-Mails, Sitzungen, API-Schlüssel und Verbindungen von Apps werden gelöscht.",
  "care.kept": "Bestellungen, das Kontobuch, Zahlungen und Rechnungen bleiben, ohne den Namen der Person.",
  "care.erase_done": "Das Konto ist gelöscht. Seine Proxys enden innerhalb einer Minute.",
  "failure.CustomerHasNoEmail": "Das Konto dieses Kunden hat keine E-Mail-Adresse."
}

import type { documents as english } from "../english/Documents.ts"

/** The pages for staff about invoices, credit notes and taxes. */
export const documents: Readonly<Record<keyof typeof english, string>> = {
  "documents.title": "Belege",
  "documents.lead":
    "Rechnungen und Rechnungskorrekturen. Sie ändern sich nie: Ein Fehler wird zurückgenommen und neu ausgestellt.",
  "documents.query": "Suchen",
  "documents.query_hint":
    "Eine Nummer, die E-Mail-Adresse eines Kontos, oder die Kennung eines Kontos oder einer Buchung",
  "documents.kind": "Art",
  "documents.every_kind": "Alle",
  "documents.invoice": "Rechnung",
  "documents.button": "Anzeigen",
  "documents.none": "Solche Belege gibt es nicht.",
  "documents.tax": "Steuer",
  "documents.reissue_button": "Neu ausstellen",
  "documents.reissue_title": "Eine Rechnung neu ausstellen",
  "documents.reissue_about":
    "Eine Rechnungskorrektur nimmt diese Rechnung zurück. Eine neue Rechnung erhält die jetzige Rechnungsadresse des Kunden und die hinterlegten Steuersätze des Tages der Zahlung.",
  "documents.reissued": "Die Rechnung wurde zurückgenommen. Dies ist die neue.",

  "failure.InvoiceReplaced": "Nur eine Rechnung, die keine andere ersetzt, lässt sich neu ausstellen.",
  "failure.TaxRateMissing":
    "Das Land des Verkäufers hat keinen Steuersatz für den Tag der Zahlung. Hinterlegen Sie ihn zuerst.",
  "failure.TaxNumberChanged":
    "Der Kunde hat Name, Land oder Steuernummer geändert oder keine Anschrift angegeben. Sehen Sie noch einmal nach.",

  "taxes.title": "Steuern",
  "taxes.lead": "Die Steuersätze der nächsten Belege. Vorhandene Belege ändern sich nicht.",
  "taxes.rates": "Steuersätze",
  "taxes.none": "Es gibt noch keine Steuersätze.",
  "taxes.record_title": "Einen Steuersatz hinterlegen",
  "taxes.record_button": "Steuersatz hinterlegen",
  "taxes.recorded": "Der Steuersatz ist hinterlegt.",
  "taxes.rate": "Satz in Prozent",
  "taxes.rate_hint": "0 bis 100, mit höchstens zwei Nachkommastellen",
  "taxes.rate_wrong": "Geben Sie einen Satz wie 19 oder 7,5 ein",
  "taxes.valid_from": "Gültig ab",
  "taxes.valid_from_hint": "Der erste Tag in UTC. Der Satz gilt bis zum Tag des nächsten Satzes dieses Landes.",
  "taxes.valid_from_wrong": "Geben Sie einen Tag wie 2027-01-01 ein",
  "taxes.note": "Vermerk",
  "taxes.note_hint": "Die Belege mit diesem Satz zeigen ihn, etwa das Gesetz einer Befreiung",
  "taxes.note_wrong": "Geben Sie eine Zeile mit höchstens 300 Zeichen ein",
  "taxes.numbers": "Steuernummern",
  "taxes.no_numbers": "Kein Unternehmen hat eine Steuernummer mit Name, Anschrift und Land angegeben.",
  "taxes.number": "Steuernummer",
  "taxes.checked": "geprüft",
  "taxes.unchecked": "nicht geprüft",
  "taxes.refused": "falsch",
  "taxes.check_link": "Prüfen",
  "taxes.check_title": "Eine Steuernummer prüfen",
  "taxes.check_about":
    "Fragen Sie die Behörde, etwa MIAS der Europäischen Union, ob die Nummer zu diesem Namen gehört. Mit der geprüften Nummer eines anderen Landes schuldet der Kunde die Steuer. Eine Änderung von Name, Land oder Nummer beendet die Prüfung.",
  "taxes.check_button": "Speichern",
  "taxes.outcome": "Ergebnis",
  "taxes.is_right": "Die Nummer stimmt",
  "taxes.is_wrong": "Die Nummer stimmt nicht",
  "taxes.now_checked": "Das Ergebnis ist gespeichert."
}

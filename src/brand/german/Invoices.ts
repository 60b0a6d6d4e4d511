import type { invoices as english } from "../english/Invoices.ts"

/** The pages of the invoices. */
export const invoices: Readonly<Record<keyof typeof english, string>> = {
  "invoices.title": "Rechnungen",
  "invoices.about": "Sie erhalten für jede Zahlung mit Karte, Kryptowährung oder Sternen eine Rechnung.",
  "invoices.none": "Es gibt noch keine Rechnungen. Für Zahlungen aus dem Guthaben gibt es keine.",
  "invoices.one_title": "Rechnung {{number}}",
  "invoices.number": "Nummer",
  "invoices.issued": "Rechnungsdatum",
  "invoices.paid": "Bezahlt am",
  "invoices.method": "Zahlungsart",
  "invoices.seller": "Verkäufer",
  "invoices.buyer": "Rechnung an",
  "invoices.description": "Beschreibung",
  "invoices.quantity": "Menge",
  "invoices.unit_price": "Einzelpreis",
  "invoices.amount": "Betrag",
  "invoices.total": "Gesamt",
  "invoices.line_deposit": "Aufladung des Guthabens",
  "invoices.reversed": "{{amount}} zurückgeholt",
  "invoices.reversed_note":
    "Der Zahlungsdienst hat {{amount}} dieser Zahlung wegen einer Erstattung oder Anfechtung zurückgeholt.",
  "invoices.sandbox": "simuliert",
  "invoices.sandbox_note": "Diese Zahlung war simuliert. Es wurde kein Geld gezahlt.",
  "invoices.print": "Mit der Druckfunktion Ihres Browsers können Sie diese Seite drucken oder als PDF speichern.",
  "invoices.link": "Rechnung",
  "failure.InvoiceNotFound": "Sie haben keine solche Rechnung.",

  "billing.title": "Rechnungsadresse",
  "billing.link": "Rechnungsadresse für Ihre Rechnungen",
  "billing.about":
    "Diesen Namen und diese Adresse schreiben wir mit Ihrer E-Mail-Adresse auf Ihre nächsten Rechnungen. Eine Rechnung, die Sie schon in der Liste gesehen haben, ändert sich nicht.",
  "billing.name": "Name oder Firma",
  "billing.name_wrong": "Geben Sie einen Namen mit höchstens 200 Zeichen ein",
  "billing.address": "Adresse",
  "billing.address_hint": "Mit Ihrer Steuernummer, falls Ihre Buchhaltung sie braucht. Höchstens 500 Zeichen.",
  "billing.address_wrong": "Geben Sie eine Adresse mit höchstens 500 Zeichen ein",
  "billing.button": "Speichern",
  "billing.saved": "Die Rechnungsadresse ist gespeichert."
}

import type { backOfficeOrders as english } from "../english/BackOfficeOrders.ts"

/** The pages of the back office about orders and payments. */
export const backOfficeOrders: Readonly<Record<keyof typeof english, string>> = {
  "orders.title": "Bestellungen",
  "orders.lead": "Die neuesten Bestellungen. Andere finden Sie nach einem genauen Wert.",
  "orders.query": "Suche",
  "orders.query_hint":
    "ID einer Bestellung, eines Kunden, einer Zahlung, einer Buchung oder einer Änderung; E-Mail-Adresse; Adresse und Port eines Proxys, etwa 192.0.2.1:20000; ID eines Proxys beim Anbieter; Referenz einer Zahlung beim Zahlungsdienst",
  "orders.find_button": "Suchen",
  "orders.none": "Keine Bestellung passt.",
  "orders.older": "Ältere",
  "order.step_callback": "Meldung des Zahlungsdienstes",
  "order.step_staff": "Arbeit von Mitarbeitenden",
  "work.title": "Was möglich ist",
  "work.action": "Aktion",
  "work.now": "Jetzt",
  "work.possible": "möglich",
  "work.not_now": "nicht jetzt",
  "work.retry": "Jetzt liefern",
  "work.look_up": "Beim Anbieter nachfragen",
  "work.release": "Proxy beenden",
  "work.replace": "Proxy ersetzen",
  "work.extend": "Zeit schenken",
  "work.retry_about":
    "Fordert den Proxy sofort beim Anbieter an. Es wird nichts noch einmal berechnet. Wenn der Anbieter ablehnt, geht der Preis wie immer ins Guthaben zurück.",
  "work.look_up_about":
    "Fragt den Anbieter, was aus dem Aufruf ohne Antwort geworden ist. Was er geliefert hat, bekommt der Kunde; was er nicht getan hat, wird wie immer noch einmal versucht oder erstattet.",
  "work.release_about":
    "Beendet den Zugang des Kunden endgültig und storniert die Bestellung. Bei einem Anbieter läuft der Proxy selbst bis zu seinem Ende. Es wird nichts erstattet: Erstatten Sie vorher, wenn der Kunde Geld bekommen soll. Der Kunde erfährt es.",
  "work.release_lost_about":
    "Beendet den Proxy, den der Anbieter für diese erstattete Bestellung noch hat. Der Kunde merkt davon nichts.",
  "work.replace_about":
    "Gibt dem Kunden ohne Kosten eine andere Ausgangsadresse derselben Art und desselben Landes und einen neuen Zugang. Der alte Zugang und offene Verbindungen enden sofort. Host, Port, Laufzeit und Datenvolumen bleiben. Der Kunde erfährt es.",
  "work.extend_about":
    "Verschiebt das Ende des Proxys ohne Kosten für den Kunden. Was der Anbieter dafür nimmt, zahlen Sie. Der Kunde erfährt es. Eine Bestellung bekommt höchstens 31 Tage in 30 Tagen.",
  "work.spare": "Freie Adressen",
  "work.days": "Tage",
  "work.days_hint": "1 bis 31",
  "work.days_wrong": "Geben Sie eine Zahl von 1 bis 31 ein",
  "work.month_about": "Dieser Anbieter verkauft ganze Monate: Der Kunde bekommt einen Monat.",
  "work.present_end": "Bisheriges Ende",
  "work.new_end": "Neues Ende",
  "work.reason_wrong": "Geben Sie einen Grund mit 3 bis 500 Zeichen an",
  "work.review_button": "Prüfen",
  "work.review_title": "Diese Zeit schenken?",
  "work.done": "Erledigt: {{action}}.",
  "work.pending":
    "Begonnen: {{action}}. Der Dienst macht von selbst weiter; laden Sie diese Seite in einer Minute neu.",
  "work.unknown": "{{action}}: Der Anbieter nennt das Ergebnis noch nicht. Der Dienst fragt von selbst wieder nach.",
  "work.refused": "{{action}} wurde abgelehnt: {{detail}}.",
  "staff_payment.title": "Zahlungen",
  "staff_payment.lead": "Zahlungen von außen, die neuesten zuerst. Andere finden Sie nach einem genauen Wert.",
  "staff_payment.query_hint":
    "ID einer Zahlung, eines Kunden, einer Bestellung oder einer Buchung; E-Mail-Adresse; Referenz einer Abbuchung oder einer Zahlung beim Zahlungsdienst",
  "staff_payment.state": "Zustand",
  "staff_payment.method": "Zahlungsart",
  "staff_payment.any": "alle",
  "staff_payment.none": "Keine Zahlung passt.",
  "staff_payment.one": "Zahlung {{id}}",
  "staff_payment.purpose": "Für",
  "staff_payment.deposit": "eine Einzahlung",
  "staff_payment.order": "Bestellungen",
  "staff_payment.reference": "Referenz beim Zahlungsdienst",
  "staff_payment.expires": "Wartet bis",
  "staff_payment.orders": "Bestellungen",
  "staff_payment.charges": "Abbuchungen",
  "staff_payment.charges_none": "Es ist kein Geld angekommen.",
  "staff_payment.charge": "Abbuchung",
  "staff_payment.entry": "Buchung",
  "staff_payment.callbacks": "Meldungen des Zahlungsdienstes",
  "staff_payment.callbacks_none": "Der Zahlungsdienst hat nichts gemeldet, oder die Meldungen hatten keine Wirkung.",
  "staff_payment.callback": "Meldung",
  "staff_payment.verdict": "Ergebnis",
  "staff_payment.raw": "Rohe Meldung zeigen",
  "staff_payment.raw_title": "Rohe Meldung des Zahlungsdienstes",
  "staff_payment.raw_about": "Das Protokoll zeigt, dass Sie sie gelesen haben.",
  "staff_payment.refunds": "Erstattungen durch Mitarbeitende",
  "staff_payment.reversals": "Erstattungen und Streitfälle des Zahlungsdienstes",
  "staff_payment.look_up": "Beim Zahlungsdienst nachfragen",
  "staff_payment.look_up_about":
    "Fragt den Zahlungsdienst nach dieser Zahlung und nach Erstattungen und Streitfällen ihrer Abbuchungen. Geld, das noch nicht verzeichnet ist, wird gebucht, als hätte der Zahlungsdienst es gemeldet.",
  "staff_payment.looked_up": "Der Zahlungsdienst wurde gefragt. So steht die Zahlung nach seiner Antwort.",
  "failure.NotRetryable":
    "Die Bestellung wartet nicht auf ihren Proxy: Sie ist nicht bezahlt, oder sie wurde geliefert oder erstattet.",
  "failure.OutcomeUnknown": "Der Anbieter hat diese Bestellung vielleicht geliefert. Fragen Sie stattdessen nach.",
  "failure.NothingUnknown": "Kein Aufruf dieser Bestellung hat ein unbekanntes Ergebnis.",
  "failure.CannotLookUp": "Der Anbieter ist ausgeschaltet, oder man kann ihn nicht nach früheren Aufrufen fragen.",
  "failure.NothingToRelease": "Es gibt keinen laufenden Proxy, und beim Anbieter keinen verlorenen.",
  "failure.ReleaseByHand":
    "Der Anbieter kann diesen Proxy nicht über seine API beenden. Beenden Sie ihn auf den Seiten des Anbieters.",
  "failure.CannotReplace":
    "Der Anbieter kann einem laufenden Proxy keine andere Adresse geben. Erstatten Sie stattdessen die Bestellung.",
  "failure.NoOtherAddress":
    "Keine andere Adresse aus dem Pool dieses Proxys ist frei. Fügen Sie Adressen hinzu, oder erstatten Sie die Bestellung.",
  "failure.CannotExtend": "Der Anbieter kann diesen Proxy nicht um diese Zeit verlängern.",
  "failure.TooMuchGiven": "Eine Bestellung bekommt ohne Kosten höchstens 31 Tage in 30 Tagen.",
  "failure.OwnerStopped": "Eine Einschränkung hält die Proxys dieses Kunden an. Heben Sie sie zuerst auf.",
  "failure.StaffPaymentNotFound": "Diese Zahlung gibt es nicht.",
  "failure.CallbackNotFound": "Diese Meldung gibt es nicht. Solche ohne Wirkung werden nach einem Tag gelöscht.",
  "failure.GatewayCannotTell":
    "Der Zahlungsdienst dieser Zahlung ist nicht eingerichtet, oder man kann ihn nicht nach Zahlungen fragen.",
  "failure.GatewaySilent":
    "Der Zahlungsdienst antwortet nicht. Es wurde nichts geändert. Versuchen Sie es gleich noch einmal."
}

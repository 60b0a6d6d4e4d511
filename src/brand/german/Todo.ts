import type { todo as english } from "../english/Todo.ts"

/** The texts of the to-do list of staff. */
export const todo: Readonly<Record<keyof typeof english, string>> = {
  "todo.title": "Aufgaben",
  "todo.lead":
    "Aufgaben für Mitarbeiter, die ältesten zuerst. Eine Aufgabe verschwindet, wenn ihre Ursache behoben ist.",
  "todo.none": "Nichts wartet auf einen Menschen.",
  "todo.kinds": "Arten",
  "todo.all": "Alle",
  "todo.since": "Seit",
  "todo.record": "Vorgang {{id}}",
  "todo.order": "Bestellung {{id}}",
  "todo.customer": "Kunde {{id}}",
  "todo.settle_button": "Als erledigt markieren",
  "todo.settled": "Die Aufgabe ist erledigt.",
  "todo.reason": "Was Sie getan haben",
  "todo.reason_wrong": "Sagen Sie in 3 bis 500 Zeichen, was Sie getan haben",
  "todo.more": "Es gibt mehr. Sie erscheinen, wenn die ersten erledigt sind.",
  "todo.orphan": "Proxy ohne Besitzer",
  "todo.orphan_advice":
    "Ein Lieferant hat ihn für eine erstattete Bestellung geliefert und kann ihn nicht freigeben. Kündigen Sie ihn dort.",
  "todo.unknown_order": "Bestellung mit unbekanntem Ausgang",
  "todo.unknown_order_advice":
    "Der Kunde hat das Geld zurück. Suchen Sie beim Lieferanten eine Bestellung aus dieser Zeit und kündigen Sie sie.",
  "todo.late_order": "Bezahlte Bestellung ohne Proxy",
  "todo.late_order_advice":
    "Der Dienst hätte sie liefern oder erstatten müssen. Sehen Sie beim Anbieter und im Protokoll nach.",
  "todo.late_change": "Bezahlte Änderung ohne Ausgang",
  "todo.late_change_advice":
    "Der Dienst hätte sie ausführen oder erstatten müssen. Sehen Sie beim Anbieter und im Protokoll nach.",
  "todo.proxy_stop": "Proxy, der vielleicht noch läuft",
  "todo.proxy_stop_advice":
    "Das Konto ist gesperrt, aber der Lieferant hält den Proxy nicht an. Halten Sie ihn dort an.",
  "todo.proxy_release": "Proxy, der vielleicht noch läuft",
  "todo.proxy_release_advice": "Der Anbieter beendet ihn nicht. Kündigen Sie ihn dort.",
  "todo.unknown_refund": "Rückzahlung mit unbekanntem Ausgang",
  "todo.unknown_refund_advice": "Der Zahlungsdienst meldet keinen Ausgang. Sehen Sie sich die Zahlung dort an.",
  "todo.callback": "Zahlungsmeldung, die nicht passt",
  "todo.callback_advice":
    "Sie nennt keine Zahlung des Dienstes oder ließ sich nicht bestätigen. Suchen Sie die Zahlung beim Zahlungsdienst.",
  "todo.credit_request": "Gutschrift, die auf Zustimmung wartet",
  "todo.credit_request_advice": "Stimmen Sie innerhalb von 72 Stunden zu oder lehnen Sie ab.",
  "todo.refund_request": "Rückzahlung, die auf Zustimmung wartet",
  "todo.refund_request_advice": "Stimmen Sie innerhalb von 72 Stunden zu oder lehnen Sie ab.",
  "todo.payout": "Auszahlung, die ein Kunde anfordert",
  "todo.payout_advice": "Prüfen Sie sie, senden Sie das Geld und geben Sie die Überweisung an; oder lehnen Sie sie ab.",
  "todo.dispute": "Anfechtung, die eine Antwort braucht",
  "todo.dispute_advice": "Antworten Sie beim Zahlungsdienst, oder nehmen Sie sie dort an.",
  "todo.webhook": "Webhook-Adresse mit Fehlern",
  "todo.webhook_advice": "Der Kunde wurde benachrichtigt. Helfen Sie, wenn der Kunde Hilfe braucht.",
  "todo.mail": "E-Mail, die nicht gesendet werden konnte",
  "todo.mail_advice": "Prüfen Sie Adresse und Mailserver. Die Mitteilung steht auf der Seite des Kunden.",
  "todo.vendor_balance": "Wenig Geld bei einem Lieferanten",
  "todo.vendor_balance_advice":
    "Laden Sie das Konto dort auf. Bestellungen, die der Lieferant ablehnt, werden erstattet.",
  "todo.pause_ended": "Pause, die von selbst endete",
  "todo.pause_ended_advice":
    "Der Verkauf geht weiter. Prüfen Sie, ob der Grund der Pause vorbei ist, oder pausieren Sie ihn wieder.",
  "failure.TodoItemNotFound": "Diese Aufgabe ist schon erledigt.",
  "failure.TodoItemEndsItself": "Diese Aufgabe endet von selbst, wenn ihre Ursache endet."
}

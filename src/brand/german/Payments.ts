import type { payments as english } from "../english/Payments.ts"

/** The pages of a payment. */
export const payments: Readonly<Record<keyof typeof english, string>> = {
  "payment.title": "Zahlung",
  "payment.for": "Zweck",
  "payment.for_deposit": "Guthaben aufladen",
  "payment.for_order": "Proxy-Bestellung",
  "payment.method": "Zahlungsart",
  "payment.crypto_gateway": "Kryptowährung",
  "payment.card_gateway": "Karte",
  "payment.messenger_stars": "Messenger-Sterne",
  "payment.gateway_least": "Mit dieser Zahlungsart ist der kleinste Betrag {{limit}}",
  "payment.new_card_least": "Für ein neues Konto ist die kleinste Zahlung mit Karte {{limit}}",
  "payment.new_daily_most": "Ein neues Konto kann in 24 Stunden höchstens {{limit}} bezahlen",
  "payment.until": "Zahlbar bis",
  "payment.id": "Zahlungs-ID",
  "payment.star": "{{count}} Stern",
  "payment.stars": "{{count}} Sterne",
  "payment.deposit_paid": "Ihr Guthaben wurde um {{amount}} aufgeladen. Sie können diese Seite schließen.",
  "payment.order_paid":
    "Sie haben {{amount}} bezahlt. Wir richten jetzt Ihre Proxys ein. Sie können diese Seite schließen.",
  "payment.deposit_again": "Um es noch einmal zu versuchen, starten Sie eine neue Aufladung.",
  "payment.order_again": "Um es noch einmal zu versuchen, starten Sie eine neue Bestellung.",
  "payment.waiting_title": "Warten auf die Zahlung",
  "payment.waiting":
    "Die Zahlung ist noch nicht eingegangen. Diese Seite lädt automatisch neu. Wenn Sie bezahlt haben, können Sie die Seite schließen: Ihre Zahlung geht nicht verloren.",
  "payment.leading_title": "Weiter zur Zahlung",
  "payment.leading": "Wir leiten Sie auf die Seite des Zahlungsdienstes weiter.",
  "payment.leading_link": "Zur Zahlung",
  "payment.to_wallet": "Zu Ihrem Guthaben",
  "payment.to_proxy": "Zu Ihrem Proxy",
  "payment.to_proxies": "Zu Ihren Proxys",
  "payment.to_order": "Zu Ihrer Bestellung",
  "payment.to_offer": "Zum Angebot",
  "payment.go_on": "Weiter mit dem, was Sie bezahlen wollten",
  "payment.way_back": "Noch nicht bezahlt? {{link}}",
  "payment.way_back_link": "Zurück zur Zahlung",
  "payment.received_title": "Zahlung eingegangen",
  "payment.failed_title": "Zahlung nicht erfolgt",
  "payment.failed": "Die Zahlung wurde abgelehnt oder abgebrochen. {{again}}",
  "payment.expired_title": "Zahlung abgelaufen",
  "payment.expired": "Die Zahlung ist nicht rechtzeitig eingegangen. {{again}}",
  "payment.late":
    "Wenn Sie trotzdem bezahlt haben, schreiben wir den Betrag Ihrem Guthaben gut. Sie können diese Seite schließen.",
  "payment.pay_title": "Sandbox-Zahlung",
  "payment.pay": "Bestätigen Sie Ihre Zahlung",
  "payment.pay_button": "Bezahlen",
  "payment.decline_button": "Ablehnen",
  "payment.sandbox": "Sandbox: Es fließt kein echtes Geld",
  "payment.complete_title": "Zahlung abgeschlossen",
  "payment.deposit_soon":
    "Wir schreiben den Betrag innerhalb einer Minute Ihrem Guthaben gut. Laden Sie diese Seite dann neu.",
  "payment.order_soon":
    "Ihre Bestellung ist innerhalb einer Minute als bezahlt markiert. Laden Sie diese Seite dann neu.",
  "payment.soon_title": "Zahlung unterwegs",
  "payment.paid_late_title": "Zu spät bezahlt",
  "payment.paid_late":
    "Die Zahlung war schon beendet. Deshalb haben wir den Betrag Ihrem Guthaben als eigene Aufladung gutgeschrieben.",
  "payment.not_in_time": "Sie haben nicht rechtzeitig bezahlt. Es wurde nichts abgebucht. {{again}}",
  "payment.declined_title": "Zahlung abgelehnt",
  "payment.cancelled_title": "Zahlung abgebrochen",
  "payment.not_charged": "Es wurde nichts abgebucht. {{again}}",
  "payment.no_choice_title": "Wählen Sie „Bezahlen“ oder „Ablehnen“",
  "payment.no_choice":
    "Es wurde nichts geändert. Gehen Sie zurück zur Zahlung und drücken Sie eine der beiden Schaltflächen.",
  "payment.not_found_title": "Zahlung nicht gefunden",
  "payment.not_found": "Unter dieser Adresse gibt es keine Zahlung. Prüfen Sie den Link oder beginnen Sie von vorn."
}

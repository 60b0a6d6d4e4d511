import type { notices as english } from "../english/Notices.ts"

/** The notifications to accounts. Some of them are also mailed. */
export const notices: Readonly<Record<keyof typeof english, string>> = {
  "notice.proxy": "Ihr Proxy ({{kind}}, {{country}})",
  "notice.soon": "bald",
  "notice.on": "am {{time}}",
  "notice.expiring": "{{proxy}} läuft {{end}} ab. Verlängern Sie ihn, um ihn zu behalten.",
  "notice.expiring_renewed": "{{proxy}} läuft {{end}} ab. Der Dienst verlängert ihn aus Ihrem Guthaben.",
  "notice.renewed": "{{proxy}} wurde verlängert und läuft {{end}} ab.",
  "notice.time_given": "{{proxy}} läuft ohne Kosten länger: Er läuft {{end}} ab.",
  "notice.replaced":
    "{{proxy}} hat eine andere Ausgangsadresse. Der Zugang ist neu, und der alte gilt nicht mehr: Den neuen finden Sie auf der Seite des Proxys.",
  "notice.warranty_credit":
    "{{proxy}} hat {{minutes}} Minuten lang nicht funktioniert. Für diese Zeit wurden {{price}} Ihrem Guthaben gutgeschrieben.",
  "notice.moved": "{{proxy}} hat jetzt eine andere Ausgangsadresse. Host, Port und Zugangsdaten bleiben gleich.",
  "notice.renewal_failed":
    "{{proxy}} konnte nicht verlängert werden: {{why}}. Der Dienst versucht es jede Stunde wieder, bis der Proxy {{end}} abläuft.",
  "notice.renewal_price":
    "Die Verlängerung kostet {{price}}: {{proxy}}. Dieselbe Zeit kostete bisher {{before}}. Der Dienst verlängert den Proxy {{renews}} aus Ihrem Guthaben, höchstens zu diesem Preis. Wenn Sie das nicht möchten, schalten Sie vorher die automatische Verlängerung aus; der Proxy läuft dann {{end}} ab.",
  "notice.change_failed": "{{proxy}} wurde nicht geändert: {{why}}. Das Geld ist wieder in Ihrem Guthaben.",
  "notice.reduced":
    "{{proxy}} wurde vom Anbieter eingeschränkt: Er läuft {{end}} ab. Eine automatische Erstattung gibt es nicht: Bitte wenden Sie sich an den Support.",
  "notice.reduced_traffic":
    "{{proxy}} wurde vom Anbieter eingeschränkt: Er läuft {{end}} ab und hat {{traffic}} Datenvolumen. Eine automatische Erstattung gibt es nicht: Bitte wenden Sie sich an den Support.",
  "notice.ended":
    "{{proxy}} wurde vom Anbieter vorzeitig beendet; er wäre {{end}} abgelaufen. Eine automatische Erstattung gibt es nicht: Bitte wenden Sie sich an den Support.",
  "notice.ended_by_support":
    "{{proxy}} wurde von unserem Support vorzeitig beendet; er wäre {{end}} abgelaufen. Wenn Sie den Grund nicht kennen, wenden Sie sich bitte an den Support.",
  "notice.provisioning_failed": "Ihr Proxy konnte nicht eingerichtet werden. {{price}} sind wieder in Ihrem Guthaben.",

  "notice.why_balance": "Die Verlängerung kostet {{required}}, Ihr Guthaben beträgt aber nur {{balance}}",
  "notice.why_stopped": "Eine Zahlung Ihres Kontos wurde erstattet oder angefochten",
  "notice.why_not_sold": "Diese Verlängerung wird nicht mehr verkauft",
  "notice.why_not_now": "Der Anbieter kann ihn zurzeit nicht verlängern",
  "notice.why_not_shown": "Der Anbieter zeigt die bezahlte Verlängerung nicht; wenden Sie sich an den Support",
  "notice.why_refused": "Der Anbieter hat abgelehnt",
  "notice.why_unreachable": "Der Anbieter war nicht erreichbar",

  "notice.deposited": "{{price}} wurden Ihrem Guthaben gutgeschrieben.",
  "notice.auto_top_up_card": "Ihre gespeicherte Karte",
  "notice.auto_top_up_this_card": "Ihre Karte {{card}}",
  "notice.auto_top_up_made":
    "Automatische Aufladung: {{price}} wurden von einer Karte abgebucht und Ihrem Guthaben hinzugefügt ({{card}}).",
  "notice.auto_top_up_failed":
    "Ihre automatische Aufladung um {{price}} ist fehlgeschlagen: Die Bank hat {{card}} abgelehnt. Der Dienst versucht es am {{time}} noch einmal, wenn Ihr Guthaben dann noch zu niedrig ist. Sie können selbst aufladen oder eine andere Karte wählen: {{page}}",
  "notice.auto_top_up_stopped":
    "Die automatische Aufladung ist aus: {{why}}. Laden Sie selbst auf, oder wählen Sie eine Karte und schalten Sie sie wieder ein: {{page}}",
  "notice.auto_top_up_authentication":
    "Die Bank verlangt, dass Sie Zahlungen selbst bestätigen ({{card}}); es wurde nichts abgebucht",
  "notice.auto_top_up_expired": "{{card}} ist abgelaufen",
  "notice.auto_top_up_refused": "Die Bank nimmt {{card}} nicht mehr an",
  "notice.auto_top_up_declined": "Die Bank hat {{card}} dreimal nacheinander abgelehnt",
  "notice.auto_top_up_reversed":
    "Die automatische Aufladung ist aus, weil eine ihrer Zahlungen erstattet oder angefochten wurde. Sie können sie wieder einschalten: {{page}}",
  "notice.auto_top_up_limit":
    "Ihr Guthaben ist niedrig, aber die automatische Aufladung hat ihre Grenze von {{limit}} für diesen Monat erreicht. Im nächsten Monat geht es weiter. Laden Sie selbst auf, oder erhöhen Sie die Grenze: {{page}}",
  "notice.overpaid":
    "{{price}} sind eingegangen, mehr als Ihre Bestellung kostet. Die Bestellung ist bezahlt, und der Rest ist in Ihrem Guthaben.",
  "notice.unexpected":
    "{{price}} kamen zu spät, doppelt oder anders als angefordert und wurden Ihrem Guthaben gutgeschrieben.",
  "notice.unexpected_cancelled":
    "{{price}} kamen zu spät, doppelt oder anders als angefordert und wurden Ihrem Guthaben gutgeschrieben. Ihre Bestellung wurde storniert.",
  "notice.refund_announced": "Der Zahlungsdienst hat eine Erstattung Ihrer Zahlung angekündigt.",
  "notice.dispute_announced": "Der Zahlungsdienst hat eine Anfechtung Ihrer Zahlung angekündigt.",
  "notice.refund_taken":
    "{{price}} Ihrer Zahlung wurden Ihnen erstattet. Von Ihrem Guthaben wurden {{debited}} abgezogen.",
  "notice.dispute_taken":
    "{{price}} Ihrer Zahlung wurden zurückgeholt, weil die Zahlung angefochten ist. Von Ihrem Guthaben wurden {{debited}} abgezogen.",
  "notice.refund_over": "Die Erstattung Ihrer Zahlung ist gescheitert.",
  "notice.dispute_over": "Die Anfechtung Ihrer Zahlung ist beendet.",
  "notice.payout_returned":
    "Ihre Karte hat die Erstattung von {{price}} nicht angenommen. Das Geld ist in Ihrem Guthaben.",
  "notice.payout_claimed":
    "Ihre Karte hat die Erstattung von {{price}} nicht angenommen. {{returned}} davon sind in Ihrem Guthaben. Der Rest deckt den Teil Ihrer Zahlung, der zurückgeholt wurde.",
  "notice.payout_requested":
    "Sie haben {{price}} aus Ihrem Guthaben angefordert, an: {{destination}}. Wir prüfen die Auszahlung und senden das Geld. Wenn Sie das nicht waren, brechen Sie sie auf der Seite Ihres Guthabens ab, ändern Sie Ihr Passwort und wenden Sie sich an den Support.",
  "notice.payout_sent": "Wir haben {{price}} aus Ihrem Guthaben gesendet. Referenz: {{reference}}",
  "notice.payout_declined":
    "Ihre Auszahlung von {{price}} wurde abgelehnt. Das Geld ist wieder in Ihrem Guthaben. {{why}}",
  "notice.payout_taken_back":
    "Ihre Auszahlung von {{price}} wurde abgelehnt, weil eine Zahlung zurückgeholt wird. Das Geld deckt zuerst diese.",
  "notice.order_returned": "{{price}} von Ihrer Bestellung sind wieder in Ihrem Guthaben.",
  "notice.order_paid_back":
    "{{price}} von Ihrer Bestellung sind auf dem Weg zurück auf Ihre Karte. Ihre Bank zeigt sie in einigen Tagen.",
  "notice.given_back": "{{price}} sind wieder in Ihrem Guthaben.",
  "notice.buy_again": "Sie können wieder kaufen.",
  "notice.suspended":
    "Bis die Anfechtung beendet ist, können Sie nichts kaufen oder verlängern, und Ihre Proxys sind angehalten. Bitte wenden Sie sich an den Support.",
  "notice.suspension": "Eine Zahlung Ihres Kontos wurde angefochten.",
  "notice.stopped":
    "Sie können vorerst nichts kaufen oder verlängern; Ihre Proxys funktionieren, bis sie ablaufen. Bitte wenden Sie sich an den Support.",

  "notice.webhook_failing":
    "Alle Zustellungen an Ihren Webhook-Endpunkt bei {{host}} sind gescheitert. Der Dienst schaltet ihn in einem Tag ab, wenn keine Zustellung ankommt. Senden Sie ihm einen Test.",
  "notice.webhook_failing_since":
    "Seit {{time}} sind alle Zustellungen an Ihren Webhook-Endpunkt bei {{host}} gescheitert. Der Dienst schaltet ihn in einem Tag ab, wenn keine Zustellung ankommt. Senden Sie ihm einen Test.",
  "notice.webhook_disabled":
    "Alle Zustellungen an Ihren Webhook-Endpunkt bei {{host}} sind gescheitert. Der Dienst hat ihn abgeschaltet. Schalten Sie ihn wieder ein, wenn der Empfänger antwortet.",
  "notice.webhook_disabled_since":
    "Seit {{time}} sind alle Zustellungen an Ihren Webhook-Endpunkt bei {{host}} gescheitert. Der Dienst hat ihn abgeschaltet. Schalten Sie ihn wieder ein, wenn der Empfänger antwortet."
}

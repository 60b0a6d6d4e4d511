import type { wallet as english } from "../english/Wallet.ts"

/** The pages of the wallet. */
export const wallet: Readonly<Record<keyof typeof english, string>> = {
  "wallet.dollars": "Dollar",
  "wallet.stars": "Sterne",
  "wallet.top_up_dollars": "Dollar aufladen",
  "wallet.top_up_stars": "Sterne aufladen",
  "wallet.open_title": "Diese Aufladungen warten auf Ihre Zahlung",
  "wallet.open_link": "weiter zur Zahlung",
  "wallet.list_title": "Buchungen",
  "wallet.none": "Es gibt noch keine Ein- oder Auszahlungen.",
  "wallet.none_of_type": "Es gibt keine Buchungen dieser Art.",
  "wallet.type": "Art",
  "wallet.all_types": "Alle Arten",
  "wallet.currency": "Währung",
  "wallet.show_button": "Anzeigen",
  "wallet.deposit": "Aufladung",
  "wallet.payment": "Zahlung",
  "wallet.refund": "Erstattung",
  "wallet.withdrawal": "Abbuchung",
  "wallet.description": "Beschreibung",
  "wallet.time": "Zeit",
  "wallet.amount": "Betrag",
  "wallet.pending": "noch nicht bezahlt",
  "wallet.pay_link": "Bezahlen oder Stand ansehen",
  "wallet.failed": "nicht bezahlt",
  "wallet.order_link": "Proxy anzeigen",
  "wallet.export_link": "Als CSV herunterladen",

  "topup.title": "Guthaben aufladen",
  "topup.payment_title": "Ihre Zahlung",
  "topup.currency": "Währung",
  "topup.currency_wrong": "Wählen Sie Dollar oder Sterne",
  "topup.dollars": "Betrag in Dollar",
  "topup.stars": "Betrag in Sternen",
  "topup.amount_hint_dollars": "{{least}} bis {{most}}, zum Beispiel 25 oder 12.50 (mit Punkt)",
  "topup.amount_hint_stars": "{{least}} bis {{most}}",
  "topup.amount_wrong_dollars":
    "Geben Sie einen Betrag von {{least}} bis {{most}} mit höchstens zwei Nachkommastellen ein, zum Beispiel 25 oder 12.50",
  "topup.amount_wrong_stars": "Geben Sie eine ganze Zahl von {{least}} bis {{most}} ein",
  "topup.amount_comma":
    "Geben Sie den Betrag ohne Komma ein: 1000 für tausend, 12.50 (mit Punkt) für zwölf Dollar fünfzig",
  "topup.amount_below": "Mit dieser Zahlungsart ist der kleinste Betrag {{least}}",
  "topup.suggested": "Häufig gewählt:",
  "topup.method": "Zahlungsart",
  "topup.method_wrong": "Wählen Sie eine dieser Zahlungsarten",
  "topup.at_least": "Ab {{amount}}",
  "topup.about_payment":
    "Sie bezahlen innerhalb von 60 Minuten auf der Seite des Zahlungsdienstes. Wir schreiben das Geld gut, sobald der Dienst die Zahlung meldet.",
  "topup.button": "Weiter zur Zahlung",
  "topup.no_method": "Zurzeit können Sie Ihr Guthaben nicht aufladen. Bitte versuchen Sie es später noch einmal.",

  "referrals.title": "Empfehlungen",
  "referrals.about":
    "Sie erhalten {{percent}} % von jeder Zahlung der Personen, die sich über Ihren Link registrieren.",
  "referrals.off": "Zurzeit gibt es für Empfehlungen kein Guthaben.",
  "referrals.verify": "Bestätigen Sie Ihre E-Mail-Adresse, damit wir Ihnen Ihre Anteile gutschreiben können",
  "referrals.link_title": "Teilen Sie diesen Link",
  "referrals.link": "Link",
  "referrals.code": "Code",
  "referrals.referred": "Registrierte Personen",
  "referrals.earned": "Bisher verdient",
  "referrals.pending": "Zurückgehalten",
  "referrals.pending_about": "Wird Ihrem Guthaben später gutgeschrieben",
  "referrals.rules_title": "Die Regeln",
  "referrals.rule_share":
    "Sie erhalten {{percent}} % von jeder Zahlung von außen: mit Karte, Kryptowährung oder Sternen. Zahlungen aus dem Guthaben zählen nicht.",
  "referrals.rule_at_once": "Wir schreiben einen Anteil kurz nach der Zahlung Ihrem Guthaben gut.",
  "referrals.rule_held":
    "Wir halten einen Anteil nach der Zahlung {{days}} Tage zurück. Danach schreiben wir ihn Ihrem Guthaben gut.",
  "referrals.rule_verified": "Sie beide müssen Ihre E-Mail-Adressen bestätigt haben.",
  "referrals.rule_one_person":
    "Es gibt keinen Anteil, wenn beide Konten von derselben Adresse registriert wurden oder dieselbe Person für beide bezahlt hat.",
  "referrals.rule_refund": "Wenn eine Zahlung erstattet oder angefochten wird, buchen wir ihren Anteil zurück."
}

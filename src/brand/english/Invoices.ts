/** The pages of the invoices. */
export const invoices = {
  "invoices.title": "Invoices",
  "invoices.about": "You get an invoice for each payment by card, with crypto or in stars.",
  "invoices.none": "There are no invoices yet. Payments from your wallet have none.",
  "invoices.one_title": "Invoice {{number}}",
  "invoices.number": "Number",
  "invoices.issued": "Invoice date",
  "invoices.paid": "Paid on",
  "invoices.method": "Payment method",
  "invoices.seller": "Seller",
  "invoices.buyer": "Bill to",
  "invoices.description": "Description",
  "invoices.quantity": "Quantity",
  "invoices.unit_price": "Unit price",
  "invoices.amount": "Amount",
  "invoices.total": "Total",
  "invoices.line_deposit": "Wallet top-up",
  "invoices.reversed": "{{amount}} taken back",
  "invoices.reversed_note":
    "The payment service took back {{amount}} of this payment, because of a refund or a dispute.",
  "invoices.sandbox": "simulated",
  "invoices.sandbox_note": "This payment was simulated. No money was paid.",
  "invoices.print": "To print this page or to save it as a PDF, use the print function of your browser.",
  "invoices.link": "Invoice",
  "failure.InvoiceNotFound": "You have no such invoice.",

  "billing.title": "Billing address",
  "billing.link": "Billing address for your invoices",
  "billing.about":
    "We write this name and address on your next invoices, with your email. An invoice that you have seen in the list does not change.",
  "billing.name": "Name or company",
  "billing.name_wrong": "Enter a name of at most 200 characters",
  "billing.address": "Address",
  "billing.address_hint": "With your tax number, if your bookkeeping needs it. At most 500 characters.",
  "billing.address_wrong": "Enter an address of at most 500 characters",
  "billing.button": "Save",
  "billing.saved": "The billing address is saved."
} as const

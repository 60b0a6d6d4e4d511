/** The instructions that a client gives to its model before the first call. */
export const instructions = `Rents network proxies (datacenter, residential, mobile) and manages them, for the account whose credential is used.

To buy: list_offers; then create_proxy_order without confirm, which charges nothing and returns the price, the offer and the wallets; show the price to the person; then the same call with confirm=true. The answer has the proxy's host, port, login and password.
To look: list_my_orders, get_order, list_my_wallets, list_wallet_transactions.
To keep a proxy: extend_proxy_period, buy_proxy_bandwidth, set_auto_renew.

Tools that spend charge only with confirm=true. Give each purchase its own idempotency_key, and send the same key when you try again: it is charged once.
Lists return csv by default; response_format=json returns an object with totals. Amounts are in the currency given beside them (USD in dollars, STAR in whole stars), times in UTC.
An error is {status, code, detail, details}: detail says what to do. INSUFFICIENT_SCOPE names the scope that the credential lacks in details.required_scope. Only a person can top up a wallet, by paying; no tool can. POST /v1/payments/deposits of the REST API returns the address of the page to pay on.
The ref:// resources list the values of status, currency, kind and payment method.`

-- The role of the gateway, which may do nothing yet: `serve` grants it a gateway's work (docs/gateway.md).
\getenv password GATEWAY_POSTGRES_PASSWORD
CREATE ROLE gateway LOGIN PASSWORD :'password';

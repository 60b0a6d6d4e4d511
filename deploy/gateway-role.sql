-- Creates the role of the gateway without permissions; `serve` grants them (docs/gateway.md).
\getenv password GATEWAY_POSTGRES_PASSWORD
CREATE ROLE gateway LOGIN PASSWORD :'password';

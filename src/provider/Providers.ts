import { Context, Layer } from "effect"
import type { ProxyProvider } from "./ProxyProvider.ts"

/** The enabled providers, by name. Each offer of the catalog belongs to one of them. */
export class Providers extends Context.Service<
  Providers,
  {
    readonly all: ReadonlyArray<ProxyProvider>
    /** Undefined when the provider is not enabled. */
    readonly get: (name: string) => ProxyProvider | undefined
  }
>()("app/provider/Providers") {
  static from(all: ReadonlyArray<ProxyProvider>) {
    const byName = new Map(all.map((provider) => [provider.name, provider]))
    return Providers.of({ all, get: (name) => byName.get(name) })
  }

  static layerOf = (...all: ReadonlyArray<ProxyProvider>) => Layer.succeed(this, this.from(all))
}

import { type Html, html } from "./Html.ts"

/** Shapes of 24 by 24, drawn in the colour of the text. */
const shapes = {
  home: "M4 11 12 4l8 7M6 9.5V20h12V9.5M10 20v-6h4v6",
  shop: "M5 8h14l-1 12H6zM9 8a3 3 0 0 1 6 0",
  proxies: "M4 5h16v6H4zM4 13h16v6H4zM7.5 8h.01M7.5 16h.01M12 8h5M12 16h5",
  wallet: "M4 7h15a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1zM4 7l11-3v3M16 13h.01",
  check: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10 21h4",
  key: "M8 19a4 4 0 1 1 0-8 4 4 0 0 1 0 8M11 12l8-8M16 7l3 3",
  webhook: "M12 4a4 4 0 0 0-2 7.5L6.5 17M6 20a3 3 0 1 1 0-6M18 14a3 3 0 1 1-2.6 4.5H8M12 8l3.5 6",
  apps: "M5 5h5v5H5zM14 5h5v5h-5zM5 14h5v5H5zM16.5 13.5v6M13.5 16.5h6",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20a7.5 7.5 0 0 1 15 0",
  help: "M12 20a8 8 0 1 1 0-16 8 8 0 0 1 0 16M9.8 10a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.5M12 16.5h.01",
  chart: "M4 20h16M7 16v-5M12 16V5M17 16v-8",
  menu: "M4 7h16M4 12h16M4 17h16"
} as const

export type Icon = keyof typeof shapes

/** An icon beside a text. Screen readers leave it out. */
export const icon = (name: Icon): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${shapes[name]}" /></svg>`

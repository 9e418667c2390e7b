// Renders /openapi.json. Nothing here may leave the server: no fonts, proxy, telemetry or agent.
"use strict";

window.Scalar.createApiReference("#reference", {
  url: "/openapi.json",
  darkMode: true,
  hideDarkModeToggle: true,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
});

import { defineConfig } from "vitest/config";
import { compress } from "./scripts/compress";
import { portalProxy } from "./scripts/portal_proxy";
import { preloadApplication } from "./scripts/preload_application";

export default defineConfig({
  // Served at the root of the portal's host.
  base: "/",
  publicDir: "static",
  plugins: [preloadApplication(), compress()],
  server: { proxy: portalProxy(process.env["CARME_PORTAL"]) },
  build: {
    outDir: "build/dist",
    emptyOutDir: true,
    target: "es2022",
    // No data: URLs and no polyfill: the content security policy allows only
    // files in assets/, and data: only for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    include: ["tests/**/*.test.ts"],
    environment: "node",
    setupFiles: ["tests/english.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

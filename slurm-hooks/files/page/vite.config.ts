import { defineConfig } from "vitest/config";

export default defineConfig({
  // Served at the root of the app's own host, or below a prefix.
  base: "./",
  publicDir: false,
  build: {
    outDir: "build/dist",
    emptyOutDir: true,
    target: "es2022",
    // Nothing as a data: URL and no polyfill: the content security policy
    // allows what is in assets/ and nothing more.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    include: ["tests/**/*.test.ts"],
    environment: "node",
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

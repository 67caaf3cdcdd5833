import js from "@eslint/js";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["build/", "node_modules/"] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { "react-hooks": reactHooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
    },
  },
  {
    rules: {
      eqeqeq: "error",
      "no-console": "error",
      "prefer-const": "error",
      "no-implicit-coercion": ["error", { boolean: false }],
      // The compiler reports unused names and undefined ones.
      "@typescript-eslint/no-unused-vars": "off",
      "no-undef": "off",
    },
  },
  { files: ["scripts/**"], rules: { "no-console": "off" } },
);

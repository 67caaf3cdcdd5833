import js from "@eslint/js";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

// Attributes that people read, and properties of components that have the same
// names.
const kTextAttributes =
  "/^(aria-label|aria-description|aria-roledescription|alt|title|placeholder|label|about|hint|text|legend|summary)$/";
const kLetters = "/\\p{L}/u";
const kHardCoded =
  "Put texts into the catalogues and use messages (README, Texts and languages).";
// Names of commands and keys are the same in all languages.
const kParents = [
  "JSXElement[openingElement.name.name!=/^(code|kbd)$/]",
  "JSXFragment",
];
const kHardCodedTexts = [
  `JSXAttribute[name.name=${kTextAttributes}] > Literal[value=${kLetters}]`,
  `JSXAttribute[name.name=${kTextAttributes}] > JSXExpressionContainer TemplateElement[value.raw=/\\p{L}{2}/u]`,
  ...kParents.flatMap((parent) => [
    `${parent} > JSXText[value=${kLetters}]`,
    `${parent} > JSXExpressionContainer > Literal[value=${kLetters}]`,
    `${parent} > JSXExpressionContainer > :matches(ConditionalExpression, LogicalExpression) > Literal.consequent[value=${kLetters}]`,
    `${parent} > JSXExpressionContainer > :matches(ConditionalExpression, LogicalExpression) > Literal.alternate[value=${kLetters}]`,
    `${parent} > JSXExpressionContainer > LogicalExpression > Literal.right[value=${kLetters}]`,
    `${parent} > JSXExpressionContainer > TemplateLiteral > TemplateElement[value.raw=${kLetters}]`,
  ]),
].map((selector) => ({ selector, message: kHardCoded }));
const kOwnFormats = [
  "CallExpression > MemberExpression[property.name=/^(toLocaleString|toLocaleDateString|toLocaleTimeString)$/]",
  "MemberExpression[object.name='Intl']",
].map((selector) => ({
  selector,
  message: "Use lib/format, which knows the language.",
}));

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
  {
    files: ["src/**/*.tsx"],
    rules: {
      "no-restricted-syntax": ["error", ...kHardCodedTexts, ...kOwnFormats],
    },
  },
  {
    files: ["src/**/*.ts"],
    ignores: ["src/lib/format/**", "src/lib/language/**"],
    rules: { "no-restricted-syntax": ["error", ...kOwnFormats] },
  },
  { files: ["scripts/**"], rules: { "no-console": "off" } },
);

// The editor's theme. CodeMirror creates its style rules by script in the
// shadow root, which the content security policy allows. Images are not used,
// because CodeMirror embeds them as data: URLs.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const kUnderline = (colour: string) => ({
  backgroundImage: "none",
  textDecoration: `underline wavy ${colour}`,
  textDecorationSkipInk: "none",
});

const theme = EditorView.theme({
  "&": {
    height: "100%",
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    fontSize: "var(--type-s)",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--accent)", padding: "0.5rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
  ".cm-gutters": {
    border: "none",
    color: "var(--muted)",
    backgroundColor: "var(--sunken)",
  },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "var(--accent-soft)",
  },
  "&:not(.cm-focused) .cm-activeLine": { backgroundColor: "transparent" },
  ".cm-gutterElement.cm-wrong-error": {
    color: "var(--bad)",
    backgroundColor: "var(--bad-soft)",
    fontWeight: "700",
  },
  ".cm-gutterElement.cm-wrong-warning": {
    color: "var(--wait)",
    backgroundColor: "var(--wait-soft)",
    fontWeight: "700",
  },
  ".cm-lintRange-error": kUnderline("var(--bad)"),
  ".cm-lintRange-warning": kUnderline("var(--wait)"),
  ".cm-tooltip": {
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--round-s)",
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    boxShadow: "var(--shadow-high)",
  },
  ".cm-diagnostic": {
    maxWidth: "34rem",
    fontFamily: "var(--sans)",
    whiteSpace: "pre-wrap",
  },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--wait)" },
});

const highlighting = HighlightStyle.define([
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--info)" },
  { tag: [tags.bool, tags.atom, tags.number], color: "var(--wait)" },
  { tag: tags.propertyName, color: "var(--accent)" },
]);

export const editorTheme = [theme, syntaxHighlighting(highlighting)];

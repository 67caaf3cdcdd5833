// The editor's theme. CodeMirror creates its style rules by script, which the
// content security policy allows. Images are not used, because CodeMirror
// embeds them as data: URLs.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const theme = EditorView.theme({
  "&": {
    height: "100%",
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    fontSize: "var(--type-s)",
  },
  "&.cm-focused": { outline: "none" },
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
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { background: "var(--used)" },
  ".cm-specialChar": { color: "var(--bad)" },
});

const highlighting = HighlightStyle.define([
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--info)" },
  { tag: [tags.bool, tags.atom, tags.number], color: "var(--wait)" },
  { tag: [tags.propertyName, tags.keyword], color: "var(--accent)" },
  {
    tag: [tags.heading, tags.definition(tags.variableName)],
    fontWeight: "600",
  },
  { tag: tags.invalid, color: "var(--bad)" },
]);

export const editorTheme = [theme, syntaxHighlighting(highlighting)];

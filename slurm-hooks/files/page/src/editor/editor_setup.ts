// The editor's extensions. Tab moves the focus, so that one can leave the
// editor with the keyboard; Ctrl-] and Ctrl-[ indent.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { viewKindOf } from "../viewer/view_kind";
import { editorTheme } from "./editor_theme";
import { languageSlot } from "./languages";

export function editorSetup(options: {
  label: string;
  name: string;
  readOnly: boolean;
  onChange(state: EditorState): void;
  onSave(): void;
}): Extension {
  const { label, name, readOnly, onChange, onSave } = options;
  const save = () => {
    if (!readOnly) onSave();
    return true;
  };
  return [
    EditorState.readOnly.of(readOnly),
    indentUnit.of("    "),
    lineNumbers(),
    highlightSpecialChars(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    drawSelection(),
    history(),
    bracketMatching(),
    languageSlot.of([]),
    viewKindOf(name) === "code" ? [] : EditorView.lineWrapping,
    editorTheme,
    keymap.of([
      { key: "Mod-s", preventDefault: true, run: save },
      ...defaultKeymap,
      ...historyKeymap,
    ]),
    EditorView.contentAttributes.of({
      "aria-label": label,
      tabindex: "0",
      spellcheck: "false",
      autocapitalize: "off",
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state);
    }),
  ];
}

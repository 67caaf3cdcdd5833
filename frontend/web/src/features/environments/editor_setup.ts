// The editor's extensions: TOML highlighting, undo, marks at lines with
// problems. Tab moves the focus, so keyboard users can leave the editor.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, StreamLanguage } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { setDiagnostics } from "@codemirror/lint";
import {
  EditorState,
  type Extension,
  RangeSet,
  RangeSetBuilder,
  StateEffect,
  StateField,
} from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  GutterMarker,
  gutterLineClass,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { editorTheme } from "./editor_theme";
import type { Mark } from "./problems";
import { changeOf } from "./text_change";

class WrongLine extends GutterMarker {
  override elementClass: string;
  constructor(severity: Mark["severity"]) {
    super();
    this.elementClass = `cm-wrong-${severity}`;
  }
}

const kError = new WrongLine("error");
const kWarning = new WrongLine("warning");

const setWrongLines = StateEffect.define<RangeSet<GutterMarker>>();

const wrongLines = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(lines, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setWrongLines)) return effect.value;
    }
    return lines.map(transaction.changes);
  },
  provide: (field) => gutterLineClass.from(field),
});

export function showMarks(view: EditorView, marks: readonly Mark[]): void {
  const { doc } = view.state;
  const gutter = new RangeSetBuilder<GutterMarker>();
  let last = 0;
  const diagnostics = marks
    .filter(({ line }) => line <= doc.lines)
    .map(({ line: number, severity, message }) => {
      const line = doc.line(number);
      if (number !== last) {
        gutter.add(
          line.from,
          line.from,
          severity === "error" ? kError : kWarning,
        );
      }
      last = number;
      const indent = line.text.length - line.text.trimStart().length;
      return { from: line.from + indent, to: line.to, severity, message };
    });
  const spec = setDiagnostics(view.state, diagnostics);
  view.dispatch(spec, { effects: setWrongLines.of(gutter.finish()) });
}

// Replaces only what differs, so that the cursor and the scrolled lines stay.
export function showText(view: EditorView, text: string): void {
  const changes = changeOf(view.state.doc.toString(), text);
  if (changes) view.dispatch({ changes });
}

export function goToLine(view: EditorView, number: number): void {
  const { doc } = view.state;
  const line = doc.line(Math.max(1, Math.min(number, doc.lines)));
  view.dispatch({ selection: { anchor: line.from }, scrollIntoView: true });
  view.focus();
}

export function editorSetup(options: {
  label: string;
  readOnly: boolean;
  onText(text: string): void;
  onSave(): void;
}): Extension {
  const { label, readOnly, onText, onSave } = options;
  const save = () => {
    onSave();
    return true;
  };
  return [
    EditorState.readOnly.of(readOnly),
    lineNumbers(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    drawSelection(),
    history(),
    bracketMatching(),
    EditorView.lineWrapping,
    StreamLanguage.define(toml),
    wrongLines,
    editorTheme,
    keymap.of([
      { key: "Mod-s", preventDefault: true, run: save },
      ...defaultKeymap,
      ...historyKeymap,
    ]),
    EditorView.contentAttributes.of({
      "aria-label": label,
      // Where it scrolls, the keyboard must reach it also while it is read only.
      tabindex: "0",
      spellcheck: "false",
      autocapitalize: "off",
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onText(update.state.doc.toString());
    }),
  ];
}

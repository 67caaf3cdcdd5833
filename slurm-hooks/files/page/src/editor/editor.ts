// The text editor, a chunk of its own. The text that is saved has the line
// ends of the text that was loaded.
import { EditorState, type Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { lineSeparatorOf } from "../viewer/text_content";
import { editorSetup } from "./editor_setup";
import { languageOfFile, languageSlot } from "./languages";

export interface Snapshot {
  text: string;
  doc: Text;
}

export interface Editor {
  snapshot(): Snapshot;
  // Returns whether the text has changed since the snapshot.
  markSaved(snapshot: Snapshot): boolean;
  focus(): void;
  destroy(): void;
}

export interface EditorOptions {
  label: string;
  name: string;
  text: string;
  readOnly: boolean;
  onDirty(isDirty: boolean): void;
  onSave(): void;
}

export function createEditor(
  host: HTMLElement,
  options: EditorOptions,
): Editor {
  const separator = lineSeparatorOf(options.text);
  let saved: Text | undefined;
  let isDirty = false;
  const onChange = (state: EditorState) => {
    const isNow = !state.doc.eq(saved!);
    if (isNow === isDirty) return;
    isDirty = isNow;
    options.onDirty(isNow);
  };
  const view = new EditorView({
    parent: host,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        EditorState.lineSeparator.of(separator),
        editorSetup({ ...options, onChange }),
      ],
    }),
  });
  saved = view.state.doc;
  void languageOfFile(options.name).then((language) => {
    if (language) {
      view.dispatch({ effects: languageSlot.reconfigure(language) });
    }
  });
  return {
    snapshot: () => ({ text: view.state.sliceDoc(), doc: view.state.doc }),
    markSaved: (snapshot) => {
      saved = snapshot.doc;
      isDirty = !view.state.doc.eq(saved);
      return isDirty;
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

// A text editor with marks at lines, in a shadow root (see editor_theme). The
// editor owns the typed text: `text` is applied initially and when `version`
// changes, not on each change, because the property lags behind the keyboard.
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { MutableRef } from "preact/hooks";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { editorSetup, goToLine, showMarks, showText } from "./editor_setup";
import type { Mark } from "./problems";

export interface EditorHandle {
  goToLine(line: number): void;
}

export function CodeEditor(props: {
  label: string;
  readOnly: boolean;
  text: string;
  version: number;
  marks: readonly Mark[];
  handle: MutableRef<EditorHandle | undefined>;
  onText(text: string): void;
  onSave(): void;
}) {
  const { label, readOnly, version, marks, handle } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
  const newest = useRef(props);
  newest.current = props;

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: newest.current.text,
        extensions: editorSetup({
          label,
          readOnly,
          onText: (next) => newest.current.onText(next),
          onSave: () => newest.current.onSave(),
        }),
      }),
    });
    view.current = editor;
    handle.current = { goToLine: (line) => goToLine(editor, line) };
    return () => {
      handle.current = undefined;
      view.current = undefined;
      editor.destroy();
    };
  }, [label, readOnly, handle]);
  // Before the next key, which would otherwise change the text before `text`.
  useLayoutEffect(() => {
    if (view.current) showText(view.current, newest.current.text);
  }, [version]);
  useEffect(() => {
    if (view.current) showMarks(view.current, marks);
  }, [marks, label, readOnly]);

  return <div ref={host} class="code-editor" data-testid="environment-text" />;
}

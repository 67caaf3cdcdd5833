// A text file in the editor, which is loaded with the first one.
import { usePortal } from "./portal";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { readContent } from "../api/client";
import { type ApiError, asApiError } from "../api/errors";
import type { Editor } from "../editor/editor";
import type { FilesPage } from "../files_page";
import { codeText } from "../language/error_text";
import { text } from "../language/text";
import { shownName } from "../paths/names";
import type { RawPath } from "../paths/raw_path";
import { ChangedDialog } from "./changed_dialog";
import { saveAsCopy, saveText } from "./save";
import { textContent } from "./text_content";
import { Icon } from "../ui/icon";
import { ViewMessage } from "./viewer";

const kMaxBytes = 2 * 1024 * 1024;

type State =
  | { type: "loading" }
  | { type: "failed"; error: ApiError }
  | { type: "binary" }
  | { type: "loaded"; text: string; reason: "large" | "encoding" | undefined };

export function TextView(props: {
  page: FilesPage;
  path: RawPath;
  name: string;
}) {
  const { page, path, name } = props;
  const [state, setState] = useState<State>({ type: "loading" });
  const [isDirty, setIsDirty] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const [hasChanged, setHasChanged] = useState(false);
  const editor = useRef<Editor>();
  const etag = useRef("");

  const load = useCallback(async () => {
    setState({ type: "loading" });
    setHasChanged(false);
    try {
      const content = await readContent(path, kMaxBytes);
      const found = textContent(content.bytes, content.isWhole);
      etag.current = content.etag;
      if (found === "binary") return setState({ type: "binary" });
      const reason = !content.isWhole
        ? "large"
        : found.isExact
          ? undefined
          : "encoding";
      setState({ type: "loaded", text: found.text, reason });
    } catch (error) {
      setState({ type: "failed", error: asApiError(error) });
    }
  }, [path]);
  useEffect(() => void load(), [load]);
  useEffect(() => {
    page.unsaved = isDirty ? path : undefined;
    return () => {
      page.unsaved = undefined;
    };
  }, [page, path, isDirty]);

  const save = async (mode: "checked" | "overwrite" | "copy") => {
    const current = editor.current;
    if (!current || isSaving) return;
    setHasChanged(false);
    setIsSaving(true);
    const saved = current.snapshot();
    try {
      if (mode === "copy") {
        const copy = await saveAsCopy(path, saved.text);
        page.unsaved = undefined;
        page.folder.dispatch({ type: "await", path: copy });
        page.changed(copy);
        page.notify(text("saved_copy"));
        page.goTo(copy, true);
        return;
      }
      const ifMatch = mode === "checked" ? etag.current : undefined;
      etag.current = await saveText(path, saved.text, ifMatch);
      setIsDirty(current.markSaved(saved));
      page.changed(path);
      page.notify(text("saved"));
    } catch (error) {
      if (asApiError(error).code === "changed") setHasChanged(true);
      else page.fail(text("save_failed"), error);
    } finally {
      setIsSaving(false);
    }
  };
  const saveNow = useRef(save);
  saveNow.current = save;

  switch (state.type) {
    case "loading":
      return (
        <div class="viewer-message">
          <span class="progress-line" />
          <p role="status" class="late">
            {text("loading")}
          </p>
        </div>
      );
    case "failed":
      return (
        <ViewMessage
          title={text("cannot_view")}
          advice={codeText(state.error.code)}
        >
          <button type="button" class="button" onClick={() => void load()}>
            {text("try_again")}
          </button>
        </ViewMessage>
      );
    case "binary":
      return (
        <ViewMessage title={text("not_text")} advice={text("try_download")} />
      );
    case "loaded":
      return (
        <>
          {state.reason ? (
            <p class="viewer-note">{text(`read_only_${state.reason}`)}</p>
          ) : (
            <SaveButton
              isDirty={isDirty}
              isSaving={isSaving}
              save={() => void save("checked")}
            />
          )}
          <EditorHost
            label={shownName(name)}
            name={name}
            text={state.text}
            readOnly={state.reason !== undefined}
            editor={editor}
            onDirty={setIsDirty}
            onSave={() => void saveNow.current("checked")}
          />
          {hasChanged && (
            <ChangedDialog
              name={shownName(name)}
              reload={() => {
                setIsDirty(false);
                void load();
              }}
              overwrite={() => void save("overwrite")}
              saveCopy={() => void save("copy")}
              close={() => setHasChanged(false)}
            />
          )}
        </>
      );
  }
}

function SaveButton(props: {
  isDirty: boolean;
  isSaving: boolean;
  save(): void;
}) {
  const { isDirty, isSaving, save } = props;
  const tools = document.getElementById("viewer-tools");
  return usePortal(
    <>
      <span class="small muted" role="status">
        {isSaving ? text("saving") : isDirty ? text("unsaved") : ""}
      </span>
      <button
        type="button"
        class="button button-primary"
        aria-label={text("save")}
        aria-disabled={!isDirty || isSaving}
        title={text("key_save")}
        onClick={() => {
          if (isDirty && !isSaving) save();
        }}
      >
        <Icon name="check" />
        <span class="button-text">{text("save")}</span>
      </button>
    </>,
    tools,
  );
}

function EditorHost(props: {
  label: string;
  name: string;
  text: string;
  readOnly: boolean;
  editor: { current: Editor | undefined };
  onDirty(isDirty: boolean): void;
  onSave(): void;
}) {
  const { editor } = props;
  const host = useRef<HTMLDivElement>(null);
  const [hasFailed, setHasFailed] = useState(false);
  const newest = useRef(props);
  newest.current = props;
  useEffect(() => {
    let isGone = false;
    import("../editor/editor").then(
      ({ createEditor }) => {
        if (isGone || !host.current) return;
        const { label, name, text: content, readOnly } = newest.current;
        editor.current = createEditor(host.current, {
          label,
          name,
          text: content,
          readOnly,
          onDirty: (isDirty) => newest.current.onDirty(isDirty),
          onSave: () => newest.current.onSave(),
        });
        if (!readOnly) editor.current.focus();
      },
      () => setHasFailed(true),
    );
    return () => {
      isGone = true;
      editor.current?.destroy();
      editor.current = undefined;
    };
  }, [props.text]);
  // The text can be read without the editor.
  if (hasFailed) {
    return (
      <pre class="viewer-plain" tabIndex={0}>
        {props.text}
      </pre>
    );
  }
  return <div ref={host} class="viewer-editor" />;
}

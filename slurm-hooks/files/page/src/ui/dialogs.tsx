// The dialogs of the page, and the questions of what runs.
import { useState } from "preact/hooks";
import type { FilesPage } from "../files_page";
import type { Row } from "../folder/rows";
import { type Key } from "../language/catalogue";
import { text } from "../language/text";
import { shownName, splitExtension } from "../paths/names";
import { baseOf, parentOf } from "../paths/raw_path";
import { useStore } from "../store";
import { type Choice } from "../uploads/conflict";
import type { Question } from "../ui_state";
import { Dialog } from "./dialog";
import { FolderPicker } from "./folder_picker";
import { NameDialog } from "./name_dialog";

export function Dialogs({ page }: { page: FilesPage }) {
  const { dialog } = useStore(page.ui);
  const close = () => {
    page.ui.dispatch({ type: "set", change: { dialog: undefined } });
  };
  if (!dialog) return null;
  const { rows } = page.folder.state;
  const taken = new Set(rows.map(({ path }) => baseOf(path)));
  switch (dialog.type) {
    case "new folder":
      return (
        <NameDialog
          title={text("new_folder")}
          button={text("create")}
          initial=""
          taken={taken}
          act={(name) => page.createFolder(name)}
          close={close}
        />
      );
    case "new file":
      return (
        <NameDialog
          title={text("new_file")}
          button={text("create")}
          initial=""
          taken={taken}
          act={(name) => page.createFile(name)}
          close={close}
        />
      );
    case "rename": {
      const { row } = dialog;
      const isHere = parentOf(row.path) === page.folder.state.path;
      taken.delete(baseOf(row.path));
      return (
        <NameDialog
          title={text("rename_title", { name: shownName(row.name) })}
          button={text("rename")}
          initial={row.name}
          // The extension is rarely what one changes.
          selectTo={
            row.kind === "folder"
              ? row.name.length
              : splitExtension(row.name)[0].length
          }
          taken={isHere ? taken : new Set()}
          act={(name) => page.rename(row.path, name)}
          close={close}
        />
      );
    }
    case "delete":
      return <DeleteDialog page={page} rows={dialog.rows} close={close} />;
    case "pick folder":
      return (
        <FolderPicker
          page={page}
          kind={dialog.kind}
          paths={dialog.paths}
          close={close}
        />
      );
    case "keys":
      return <KeysDialog close={close} />;
  }
}

const kShownNames = 6;

function DeleteDialog(props: {
  page: FilesPage;
  rows: readonly Row[];
  close(): void;
}) {
  const { page, rows, close } = props;
  const [first] = rows;
  const count = rows.length;
  const hasFolder = rows.some(
    ({ kind, link }) => kind === "folder" && link === undefined,
  );
  const title =
    count === 1
      ? text("delete_one", { name: shownName(first?.name ?? "") })
      : text("delete_many", { count });
  const more = count - kShownNames;
  return (
    <Dialog title={title} close={close}>
      {count > 1 && (
        <ul class="name-list">
          {rows.slice(0, kShownNames).map(({ path, name }) => (
            <li key={path}>
              <bdi>{shownName(name)}</bdi>
            </li>
          ))}
          {more > 0 && (
            <li class="muted">{text("and_more", { count: more })}</li>
          )}
        </ul>
      )}
      <p>{text(hasFolder ? "delete_with_content" : "delete_final")}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          {text("cancel")}
        </button>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            close();
            void page.files.remove(rows);
          }}
        >
          {count === 1 ? text("delete") : text("delete_count", { count })}
        </button>
      </div>
    </Dialog>
  );
}

export function Questions({ page }: { page: FilesPage }) {
  const [question] = useStore(page.ui).questions;
  if (!question) return null;
  if (question.type === "unsaved") {
    return (
      <Dialog
        title={text("unsaved_title", { name: question.name })}
        close={() => question.answer(false)}
      >
        <p>{text("unsaved_detail")}</p>
        <div class="dialog-actions">
          <button
            type="button"
            class="button button-danger"
            onClick={() => question.answer(true)}
          >
            {text("discard_changes")}
          </button>
          <button
            type="button"
            class="button button-primary"
            autofocus
            onClick={() => question.answer(false)}
          >
            {text("keep_editing")}
          </button>
        </div>
      </Dialog>
    );
  }
  return <ConflictDialog key={question.name} question={question} />;
}

function ConflictDialog(props: { question: Question & { type: "conflict" } }) {
  const { question } = props;
  const [forAll, setForAll] = useState(false);
  const answer = (choice: Choice) => question.answer({ choice, forAll });
  const choices: [Choice, Key][] = [
    ["skip", "skip"],
    ["keep both", "keep_both"],
  ];
  if (question.canReplace) choices.push(["replace", "replace"]);
  return (
    <Dialog
      title={text("conflict_title", { name: question.name })}
      close={() => answer("skip")}
    >
      <p>
        {text(question.canReplace ? "conflict_detail" : "conflict_no_replace")}
      </p>
      {question.remaining > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={forAll}
            onChange={(event) => setForAll(event.currentTarget.checked)}
          />
          <span>{text("for_all", { count: question.remaining })}</span>
        </label>
      )}
      <div class="dialog-actions">
        {choices.map(([choice, label]) => (
          <button
            key={choice}
            type="button"
            class={choice === "keep both" ? "button button-primary" : "button"}
            autofocus={choice === "keep both"}
            onClick={() => answer(choice)}
          >
            {text(label)}
          </button>
        ))}
      </div>
    </Dialog>
  );
}

function KeysDialog({ close }: { close(): void }) {
  const keys: [string, Key][] = [
    ["↑ ↓", "keys_move"],
    ["Enter", "open"],
    [text("key_backspace"), "parent_folder"],
    [text("key_space"), "keys_toggle"],
    [text("key_all"), "select_all"],
    ["/", "filter"],
    ["F2", "rename"],
    [text("key_delete"), "delete"],
    [text("key_copy"), "keys_copy"],
    [text("key_paste"), "keys_paste"],
    [text("key_save"), "save"],
  ];
  return (
    <Dialog title={text("keys")} close={close}>
      <dl class="keys">
        {keys.map(([key, label]) => (
          <div key={label}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text(label)}</dd>
          </div>
        ))}
      </dl>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          {text("close")}
        </button>
      </div>
    </Dialog>
  );
}

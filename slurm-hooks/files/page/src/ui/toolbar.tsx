// New, upload, what one can do with the selection, and the filter.
import { useRef } from "preact/hooks";
import type { FilesPage } from "../files_page";
import { selectedRows } from "../folder/folder_state";
import { selectNone } from "../folder/selection";
import { text } from "../language/text";
import { useStore } from "../store";
import { filesOfInput } from "../uploads/dropped";
import { openDialog, rowCommands } from "./commands";
import { Icon } from "./icon";
import { MenuButton } from "./menu";

export function Toolbar({ page }: { page: FilesPage }) {
  const state = useStore(page.folder);
  const count = selectedRows(state).length;
  return (
    <div class="toolbar">
      {count > 0 ? (
        <SelectionTools page={page} count={count} />
      ) : (
        <FolderTools page={page} />
      )}
      <Filter page={page} />
    </div>
  );
}

function FolderTools({ page }: { page: FilesPage }) {
  const { clipboard } = useStore(page.ui);
  const { content, writable, showHidden } = useStore(page.folder);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const onChange = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement;
    if (input.files) void page.files.upload(filesOfInput(input.files));
    input.value = ""; // so that the same file can be chosen again
  };
  const canWrite = content === "loaded" && writable;
  return (
    <div class="tools" role="toolbar" aria-label={text("folder_tools")}>
      {canWrite && (
        <>
          <MenuButton
            label={text("upload")}
            icon="upload"
            class="button button-primary"
            items={[
              {
                label: text("upload_files"),
                icon: "file",
                act: () => files.current?.click(),
              },
              {
                label: text("upload_folder"),
                icon: "folder",
                act: () => folder.current?.click(),
              },
            ]}
          />
          <MenuButton
            label={text("new")}
            icon="plus"
            items={[
              {
                label: text("new_folder"),
                icon: "folder-plus",
                act: () => openDialog(page, { type: "new folder" }),
              },
              {
                label: text("new_file"),
                icon: "file",
                act: () => openDialog(page, { type: "new file" }),
              },
            ]}
          />
        </>
      )}
      {canWrite && clipboard && (
        <button
          type="button"
          class="button"
          aria-label={text("paste", { count: clipboard.paths.length })}
          onClick={() => void page.files.paste()}
        >
          <Icon name="paste" />
          <span class="button-text">
            {text("paste", { count: clipboard.paths.length })}
          </span>
        </button>
      )}
      {content === "loaded" && !writable && (
        <span class="tag" title={text("read_only_detail")}>
          <Icon name="lock" />
          {text("read_only")}
        </span>
      )}
      <button
        type="button"
        class="button button-quiet"
        aria-pressed={showHidden}
        aria-label={text("hidden_files")}
        title={text("hidden_files")}
        onClick={() =>
          page.folder.dispatch({ type: "hidden", show: !showHidden })
        }
      >
        <Icon name="eye" />
        <span class="button-text">{text("hidden_files")}</span>
      </button>
      <input
        ref={files}
        class="file-input"
        type="file"
        multiple
        tabIndex={-1}
        aria-hidden="true"
        data-testid="upload-files"
        onChange={onChange}
      />
      <input
        ref={(element) => {
          folder.current = element;
          element?.setAttribute("webkitdirectory", "");
        }}
        class="file-input"
        type="file"
        tabIndex={-1}
        aria-hidden="true"
        data-testid="upload-folder"
        onChange={onChange}
      />
    </div>
  );
}

function SelectionTools({ page, count }: { page: FilesPage; count: number }) {
  const { folder } = page;
  const commands = rowCommands(page).filter(({ keys }) => keys !== "Enter");
  return (
    <div class="tools" role="toolbar" aria-label={text("selection_tools")}>
      <button
        type="button"
        class="button button-quiet"
        title={text("select_none")}
        onClick={() =>
          folder.dispatch({
            type: "select",
            selection: selectNone(folder.state.selection),
          })
        }
      >
        <Icon name="cross" />
        <span>{text("selected", { count })}</span>
      </button>
      {commands.map(({ label, icon, isDangerous, act }) => (
        <button
          key={label}
          type="button"
          class={isDangerous ? "button button-bad" : "button"}
          aria-label={label}
          title={label}
          onClick={act}
        >
          <Icon name={icon} />
          <span class="button-text">{label}</span>
        </button>
      ))}
    </div>
  );
}

function Filter({ page }: { page: FilesPage }) {
  const { filter, search } = useStore(page.folder);
  const { folder } = page;
  const clear = () => {
    if (search) page.endSearch();
    folder.dispatch({ type: "filter", text: "" });
  };
  return (
    <form
      class="filter"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (filter !== "") void page.search(filter);
      }}
    >
      <Icon name="search" />
      <input
        id="filter"
        type="text"
        value={filter}
        placeholder={text("filter")}
        aria-label={text("filter")}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          if (search) page.endSearch();
          folder.dispatch({ type: "filter", text: event.currentTarget.value });
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            clear();
            document.getElementById("table")?.focus();
          } else if (event.key === "ArrowDown") {
            event.preventDefault();
            document.getElementById("table")?.focus();
          }
        }}
      />
      {filter !== "" && (
        <button
          type="button"
          class="icon-button"
          aria-label={text("clear_filter")}
          title={text("clear_filter")}
          onClick={clear}
        >
          <Icon name="cross" />
        </button>
      )}
      {filter !== "" && !search && (
        <button type="submit" class="button button-small">
          {text("search_below")}
        </button>
      )}
    </form>
  );
}

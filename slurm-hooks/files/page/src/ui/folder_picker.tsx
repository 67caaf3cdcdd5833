// Picks the folder to which entries are copied or moved.
import { useEffect, useState } from "preact/hooks";
import { listFolder } from "../api/client";
import { type ApiError, asApiError } from "../api/errors";
import type { FilesPage } from "../files_page";
import { type Row, rowOfEntry } from "../folder/rows";
import { kDefaultOrder, nameCompare, sortRows } from "../folder/sort";
import { errorText } from "../language/error_text";
import { activeLocale, text } from "../language/text";
import { shownName } from "../paths/names";
import {
  baseOf,
  isInside,
  parentOf,
  type RawPath,
  textOfRaw,
} from "../paths/raw_path";
import type { TransferKind } from "../tasks/transfer";
import { Dialog } from "./dialog";
import { Icon } from "./icon";
import { pathOfPlace } from "./places";

export function FolderPicker(props: {
  page: FilesPage;
  kind: TransferKind;
  paths: readonly RawPath[];
  close(): void;
}) {
  const { page, kind, paths, close } = props;
  const [path, setPath] = useState(page.folder.state.path);
  const { folders, error, writable } = useFolders(path, page);
  const [first] = paths;
  const name = shownName(textOfRaw(baseOf(first ?? "")));
  const title =
    paths.length === 1
      ? text(kind === "copy" ? "copy_one_to" : "move_one_to", { name })
      : text(kind === "copy" ? "copy_many_to" : "move_many_to", {
          count: paths.length,
        });
  const isSame =
    kind === "move" && paths.every((one) => parentOf(one) === path);
  const isItself = paths.some((one) => isInside(path, one));
  const cannot = isSame || isItself || !writable || error !== undefined;
  const places = page.ui.state.places?.places ?? [];
  return (
    <Dialog title={title} close={close} wide>
      <div class="picker-places">
        {places.map((place) => (
          <button
            key={place.path}
            type="button"
            class="chip-button"
            onClick={() => setPath(pathOfPlace(place))}
          >
            {place.name === "home" || place.name === "scratch"
              ? text(`place_${place.name}`)
              : shownName(place.name)}
          </button>
        ))}
      </div>
      <p class="picker-path" aria-live="polite">
        <button
          type="button"
          class="icon-button"
          aria-label={text("parent_folder")}
          aria-disabled={path === "/"}
          onClick={() => setPath(parentOf(path))}
        >
          <Icon name="up" />
        </button>
        <span class="mono">
          <bdi>{shownName(textOfRaw(path))}</bdi>
        </span>
      </p>
      <ul class="picker-list" aria-label={text("folders")} tabIndex={0}>
        {folders?.map((folder) => (
          <li key={folder.path}>
            <button
              type="button"
              class="picker-folder"
              onClick={() => setPath(folder.path)}
            >
              <Icon name="folder" />
              <bdi>{shownName(folder.name)}</bdi>
            </button>
          </li>
        ))}
        {folders?.length === 0 && !error && (
          <li class="muted picker-none">{text("no_folders")}</li>
        )}
        {error && <li class="problem picker-none">{errorText(error)}</li>}
      </ul>
      <p class="problem" role="status">
        {isItself
          ? text("into_itself")
          : !writable && folders && !error
            ? text("read_only_detail")
            : ""}
      </p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          {text("cancel")}
        </button>
        <button
          type="button"
          class="button button-primary"
          aria-disabled={cannot}
          onClick={() => {
            if (cannot) return;
            close();
            void page.files.transfer(kind, paths, path);
          }}
        >
          {text(kind === "copy" ? "copy_here" : "move_here")}
        </button>
      </div>
    </Dialog>
  );
}

interface Folders {
  folders: readonly Row[] | undefined;
  error: ApiError | undefined;
  writable: boolean;
}

function useFolders(path: RawPath, page: FilesPage): Folders {
  const [state, setState] = useState<Folders>({
    folders: undefined,
    error: undefined,
    writable: true,
  });
  useEffect(() => {
    const control = new AbortController();
    listFolder(path, control.signal).then(
      ({ entries, writable }) => {
        const { showHidden } = page.folder.state;
        const rows = entries
          .filter(({ kind, name }) => {
            return kind === "folder" && (showHidden || !name.startsWith("."));
          })
          .map((entry) => rowOfEntry(path, entry));
        const folders = sortRows(
          rows,
          kDefaultOrder,
          nameCompare(activeLocale()),
        );
        setState({ folders, error: undefined, writable });
      },
      (thrown: unknown) => {
        if (control.signal.aborted) return;
        setState({ folders: [], error: asApiError(thrown), writable: true });
      },
    );
    return () => control.abort();
  }, [path]);
  return state;
}

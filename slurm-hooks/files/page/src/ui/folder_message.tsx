// What is shown instead of rows, with what to do; and the notes below them.
import type { ComponentChildren } from "preact";
import { ApiError, type ErrorCode } from "../api/errors";
import type { FilesPage } from "../files_page";
import { codeText } from "../language/error_text";
import { text } from "../language/text";
import { parentOf } from "../paths/raw_path";
import { useStore } from "../store";
import { Icon, type IconName } from "./icon";

const kIcons: Partial<Record<ErrorCode, IconName>> = {
  forbidden: "lock",
  connection: "cloud-off",
  unavailable: "cloud-off",
};

export function FolderMessage({ page }: { page: FilesPage }) {
  const state = useStore(page.folder);
  const { placesError } = useStore(page.ui);
  const { content, shown, rows, filter, search, path, writable } = state;
  if (path === "" && placesError) {
    return <Failure page={page} error={placesError} />;
  }
  if (content instanceof ApiError)
    return <Failure page={page} error={content} />;
  if (search?.status instanceof ApiError) {
    return <Failure page={page} error={search.status} />;
  }
  if (content === "loading") {
    return (
      <Message>
        <span class="progress-line" />
        <p role="status" class="late">
          {text("loading")}
        </p>
      </Message>
    );
  }
  if (search?.status === "running") {
    return (
      <Message>
        <span class="progress-line" />
        <p role="status">{text("searching", { name: search.name })}</p>
      </Message>
    );
  }
  if (shown.length > 0) return null;
  if (search) {
    return (
      <Message
        icon="search"
        title={text("nothing_found", { name: search.name })}
      >
        <button type="button" class="button" onClick={() => page.endSearch()}>
          {text("end_search")}
        </button>
      </Message>
    );
  }
  if (filter !== "") {
    return (
      <Message icon="search" title={text("nothing_matches", { name: filter })}>
        <button
          type="button"
          class="button"
          onClick={() => void page.search(filter)}
        >
          {text("search_below")}
        </button>
      </Message>
    );
  }
  if (rows.length > 0) {
    return (
      <Message icon="eye" title={text("only_hidden", { count: rows.length })}>
        <button
          type="button"
          class="button"
          onClick={() => page.folder.dispatch({ type: "hidden", show: true })}
        >
          {text("show_hidden")}
        </button>
      </Message>
    );
  }
  return (
    <Message icon="folder" title={text("empty")}>
      <p>{text(writable ? "empty_upload" : "read_only_detail")}</p>
    </Message>
  );
}

function Message(props: {
  icon?: IconName;
  title?: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="folder-message">
      {props.icon && <Icon name={props.icon} />}
      {props.title && <h2>{props.title}</h2>}
      {props.children}
    </div>
  );
}

function Failure({ page, error }: { page: FilesPage; error: ApiError }) {
  const { path } = page.folder.state;
  return (
    <div class="folder-message" role="alert">
      <Icon name={kIcons[error.code] ?? "alert"} />
      <h2>{text("cannot_show")}</h2>
      <p>{codeText(error.code)}</p>
      {error.detail && <p class="small muted mono">{error.detail}</p>}
      <div class="button-row">
        <button type="button" class="button" onClick={() => page.reload()}>
          {text("try_again")}
        </button>
        {path.length > 1 && (
          <a class="button" href={`#${parentOf(path)}`}>
            {text("parent_folder")}
          </a>
        )}
        {page.home() !== path && page.ui.state.places && (
          <a class="button" href={`#${page.home()}`}>
            {text("place_home")}
          </a>
        )}
      </div>
    </div>
  );
}

export function TableFoot({ page }: { page: FilesPage }) {
  const { content, shown, truncated, search, rows, showHidden, filter } =
    useStore(page.folder);
  if (content !== "loaded") return null;
  const hidden =
    showHidden || search || filter ? 0 : rows.length - shown.length;
  return (
    <p class="table-foot" role="status">
      <span>{text("entries_count", { count: shown.length })}</span>
      {hidden > 0 && <span>{text("hidden_count", { count: hidden })}</span>}
      {truncated && <span class="warn">{text("truncated")}</span>}
      {search && search.status === "incomplete" && (
        <span class="warn">{text("search_incomplete")}</span>
      )}
      {search && (
        <button
          type="button"
          class="link-button"
          onClick={() => page.endSearch()}
        >
          {text("end_search")}
        </button>
      )}
    </p>
  );
}

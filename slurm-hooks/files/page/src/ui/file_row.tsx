// A row of the table. Names come from the file system and may contain
// anything; they are only ever text.
import { memo } from "./memo";
import type { FilesPage } from "../files_page";
import type { Row } from "../folder/rows";
import { extendTo, selectOnly, toggle } from "../folder/selection";
import {
  formatBytes,
  formatFullMoment,
  formatMoment,
  text,
} from "../language/text";
import { shownName } from "../paths/names";
import { openRow } from "./commands";
import { FileIcon } from "./file_icon";
import { Icon } from "./icon";
import type { MenuPlace } from "./menu";

export function rowId(at: number): string {
  return `row-${at}`;
}

interface Props {
  page: FilesPage;
  row: Row;
  at: number;
  top: number;
  isSelected: boolean;
  isCursor: boolean;
  isCut: boolean;
  onMenu(place: MenuPlace): void;
}

function select(page: FilesPage, row: Row, event: MouseEvent): void {
  const { folder } = page;
  const { selection, shown } = folder.state;
  let next = selectOnly(row.path);
  if (event.shiftKey) {
    next = extendTo(
      selection,
      row.path,
      shown.map(({ path }) => path),
    );
  } else if (event.ctrlKey || event.metaKey) {
    next = toggle(selection, row.path);
  }
  folder.dispatch({ type: "select", selection: next });
  document.getElementById("table")?.focus({ preventScroll: true });
}

function FileRowView(props: Props) {
  const { page, row, at, isSelected, isCursor, isCut, onMenu } = props;
  const name = shownName(row.name);
  const size = row.kind === "file" ? formatBytes(row.size) : "";
  const modified = formatMoment(row.modifiedMs, Date.now());
  const states = `${isCursor ? " row-cursor" : ""}${isCut ? " row-cut" : ""}`;
  return (
    <div
      id={rowId(at)}
      role="row"
      aria-rowindex={at + 2}
      aria-selected={isSelected}
      class={`row row-${row.kind}${states}`}
      style={{ transform: `translateY(${props.top}px)` }}
      onClick={(event) => select(page, row, event)}
      onDblClick={() => openRow(page, row)}
      onContextMenu={(event) => {
        event.preventDefault();
        onMenu({ x: event.clientX, y: event.clientY });
      }}
    >
      <div
        role="gridcell"
        class="cell cell-box"
        onClick={(event) => {
          event.stopPropagation();
          if (event.shiftKey) return select(page, row, event);
          const selection = toggle(page.folder.state.selection, row.path);
          page.folder.dispatch({ type: "select", selection });
        }}
        onDblClick={(event) => event.stopPropagation()}
      >
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isSelected}
          aria-label={text("select_row", { name })}
        />
      </div>
      <div role="gridcell" class="cell cell-name">
        <FileIcon row={row} />
        <span class="name-box">
          <Name page={page} row={row} name={name} />
          <span class="row-below">
            {row.below !== undefined && row.below !== "" ? (
              <bdi>{shownName(row.below)}</bdi>
            ) : (
              [size, modified].filter(Boolean).join(" · ")
            )}
          </span>
        </span>
        {row.link !== undefined && (
          <span class="link-target" title={shownName(row.link)}>
            → <bdi>{shownName(row.link)}</bdi>
          </span>
        )}
      </div>
      <div role="gridcell" class="cell cell-size">
        {size}
      </div>
      <div
        role="gridcell"
        class="cell cell-modified"
        title={formatFullMoment(row.modifiedMs)}
      >
        {modified}
      </div>
      <div
        role="gridcell"
        class="cell cell-mode"
        title={row.owner && text("owner", { name: shownName(row.owner) })}
      >
        {row.mode}
      </div>
      <div role="gridcell" class="cell cell-more">
        <button
          type="button"
          class="icon-button"
          tabIndex={-1}
          aria-haspopup="menu"
          aria-label={text("actions_of", { name })}
          onClick={(event) => {
            event.stopPropagation();
            const box = event.currentTarget.getBoundingClientRect();
            onMenu({ x: box.left, y: box.bottom + 2, right: box.right });
          }}
          onDblClick={(event) => event.stopPropagation()}
        >
          <Icon name="more" />
        </button>
      </div>
    </div>
  );
}

// A link, so that a middle click opens a new tab.
function Name(props: { page: FilesPage; row: Row; name: string }) {
  const { page, row, name } = props;
  if (row.kind === "other") {
    return (
      <span class="name" title={name}>
        <bdi>{name}</bdi>
      </span>
    );
  }
  return (
    <a
      class="name"
      href={`#${row.path}`}
      tabIndex={-1}
      title={name}
      draggable={false}
      onClick={(event) => {
        event.preventDefault();
        if (event.shiftKey || event.ctrlKey || event.metaKey) return;
        event.stopPropagation();
        openRow(page, row);
      }}
    >
      <bdi>{name}</bdi>
    </a>
  );
}

// The menu's function is new on each render and does the same.
export const FileRow = memo(FileRowView, ["onMenu"]);

// The table of entries. Only the rows in view are in the document, so that
// 20,000 entries scroll smoothly.
import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "preact/hooks";
import type { FilesPage } from "../files_page";
import { selectAll, selectNone, selectOnly } from "../folder/selection";
import { scrollTopFor, visibleRows } from "../folder/windowing";
import { text } from "../language/text";
import { useStore } from "../store";
import { rowCommands } from "./commands";
import { FolderMessage, TableFoot } from "./folder_message";
import { Menu, type MenuPlace } from "./menu";
import { FileRow, rowId } from "./file_row";
import { TableHead } from "./table_head";

const kHeadHeight = 36;
const kRowHeight = 40;
const kNarrowRowHeight = 54;
const kNarrow = "(max-width: 44rem)";

export function FileTable({ page }: { page: FilesPage }) {
  const state = useStore(page.folder);
  const { shown, selection, path, search } = state;
  const { clipboard } = useStore(page.ui);
  const element = useRef<HTMLDivElement>(null);
  const view = useView(element);
  const rowHeight = view.isNarrow ? kNarrowRowHeight : kRowHeight;
  const [menuPlace, setMenuPlace] = useState<MenuPlace>();
  const cursorAt = useMemo(
    () => shown.findIndex((row) => row.path === selection.cursor),
    [shown, selection.cursor],
  );

  // A new folder starts at its top.
  useLayoutEffect(() => {
    element.current?.scrollTo({ top: 0, behavior: "instant" });
  }, [path, search?.name]);
  useEffect(() => {
    if (cursorAt < 0 || !element.current) return;
    const { scrollTop, clientHeight } = element.current;
    const height = clientHeight - kHeadHeight;
    const top = scrollTopFor(cursorAt, scrollTop, height, rowHeight);
    if (top !== scrollTop) element.current.scrollTop = top;
  }, [selection.cursor, cursorAt, rowHeight]);

  const { start, end } = visibleRows(
    view.scrollTop,
    view.height,
    rowHeight,
    shown.length,
  );
  const rendered = Array.from({ length: end - start }, (_, at) => start + at);
  // The keyboard's row stays in the document: the table refers to it.
  if (cursorAt >= 0 && (cursorAt < start || cursorAt >= end)) {
    rendered.push(cursorAt);
  }
  const cut = new Set(clipboard?.kind === "move" ? clipboard.paths : []);
  const isLoading = state.content === "loading";
  return (
    <div class="table-box">
      <div
        id="table"
        ref={element}
        class="table"
        role="grid"
        aria-label={text(search ? "found" : "entries")}
        aria-rowcount={shown.length + 1}
        aria-colcount={6}
        aria-multiselectable="true"
        aria-busy={isLoading || search?.status === "running"}
        aria-activedescendant={cursorAt >= 0 ? rowId(cursorAt) : undefined}
        tabIndex={0}
        onScroll={view.onScroll}
      >
        <TableHead
          page={page}
          isAllSelected={
            shown.length > 0 && selection.selected.size === shown.length
          }
          isSomeSelected={selection.selected.size > 0}
          onAll={(isAll) =>
            page.folder.dispatch({
              type: "select",
              selection: isAll
                ? selectAll(
                    selection,
                    shown.map((row) => row.path),
                  )
                : selectNone(selection),
            })
          }
        />
        <div
          role="rowgroup"
          class="table-body"
          style={{ height: `${shown.length * rowHeight}px` }}
        >
          {rendered.map((at) => {
            const row = shown[at]!;
            return (
              <FileRow
                key={row.path}
                page={page}
                row={row}
                at={at}
                top={at * rowHeight}
                isSelected={selection.selected.has(row.path)}
                isCursor={at === cursorAt}
                isCut={cut.has(row.path)}
                onMenu={(place) => {
                  const { selected } = page.folder.state.selection;
                  if (!selected.has(row.path)) {
                    page.folder.dispatch({
                      type: "select",
                      selection: selectOnly(row.path),
                    });
                  }
                  setMenuPlace(place);
                }}
              />
            );
          })}
        </div>
      </div>
      <FolderMessage page={page} />
      <TableFoot page={page} />
      {menuPlace && (
        <Menu
          label={text("actions")}
          place={menuPlace}
          items={rowCommands(page)}
          close={() => setMenuPlace(undefined)}
        />
      )}
    </div>
  );
}

// The part of the table in view.
function useView(element: { current: HTMLDivElement | null }) {
  const [scrollTop, setScrollTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(kNarrow).matches);
  useLayoutEffect(() => {
    const table = element.current!;
    const sizes = new ResizeObserver(() => setHeight(table.clientHeight));
    sizes.observe(table);
    const narrow = matchMedia(kNarrow);
    const onWidth = () => setIsNarrow(narrow.matches);
    narrow.addEventListener("change", onWidth);
    return () => {
      sizes.disconnect();
      narrow.removeEventListener("change", onWidth);
    };
  }, [element]);
  const onScroll = () => setScrollTop(element.current?.scrollTop ?? 0);
  return { scrollTop, height, isNarrow, onScroll };
}

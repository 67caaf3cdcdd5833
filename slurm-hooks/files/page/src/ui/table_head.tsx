// The heads of the columns, which sort, and the box that selects all rows.
import { useEffect, useRef } from "preact/hooks";
import type { FilesPage } from "../files_page";
import { type Column, kColumns } from "../folder/sort";
import { text } from "../language/text";
import { Icon } from "./icon";

export function TableHead(props: {
  page: FilesPage;
  isAllSelected: boolean;
  isSomeSelected: boolean;
  onAll(isAll: boolean): void;
}) {
  const { page, isAllSelected, isSomeSelected, onAll } = props;
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current)
      box.current.indeterminate = isSomeSelected && !isAllSelected;
  });
  return (
    <div role="rowgroup" class="table-head">
      <div role="row" aria-rowindex={1} class="row row-head">
        <div role="columnheader" class="cell cell-box">
          <input
            ref={box}
            type="checkbox"
            aria-label={text("select_all")}
            checked={isAllSelected}
            onChange={() => onAll(!isAllSelected)}
          />
        </div>
        {kColumns.map((column) => (
          <ColumnHead key={column} page={page} column={column} />
        ))}
        <div role="columnheader" class="cell cell-more">
          <span class="sr-only">{text("actions")}</span>
        </div>
      </div>
    </div>
  );
}

function ColumnHead({ page, column }: { page: FilesPage; column: Column }) {
  const { order } = page.folder.state;
  const isSorted = order.column === column;
  const direction = order.descending ? "descending" : "ascending";
  return (
    <div
      role="columnheader"
      class={`cell cell-${column}`}
      aria-sort={isSorted ? direction : "none"}
    >
      <button
        type="button"
        class={`sort ${isSorted ? direction : ""}`}
        onClick={() => page.folder.dispatch({ type: "order", column })}
      >
        {text(`column_${column}`)}
        {isSorted && <Icon name="chevron" />}
      </button>
    </div>
  );
}

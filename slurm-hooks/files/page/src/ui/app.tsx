// The layout of the page, and files that are dropped on it.
import { useEffect, useRef, useState } from "preact/hooks";
import type { FilesPage } from "../files_page";
import { text } from "../language/text";
import { useStore } from "../store";
import { filesOfDrop } from "../uploads/dropped";
import { Viewer } from "../viewer/viewer";
import { Activity } from "./activity";
import { ConnectionBanner } from "./connection_banner";
import { Dialogs, Questions } from "./dialogs";
import { FileTable } from "./file_table";
import { Icon } from "./icon";
import { listenToKeys } from "./keys";
import { Notices } from "./notices";
import { PathBar } from "./path_bar";
import { Places } from "./places";
import { Toolbar } from "./toolbar";

export function App({ page }: { page: FilesPage }) {
  const { viewing } = useStore(page.ui);
  const drop = useDrop(page);
  useEffect(() => listenToKeys(page), [page]);
  return (
    <div class="page" {...drop.handlers}>
      <Places page={page} />
      <main class="main">
        <h1 class="sr-only">{text("title")}</h1>
        <PathBar page={page} />
        <Toolbar page={page} />
        <ConnectionBanner page={page} />
        <FileTable page={page} />
        <Activity page={page} />
        {drop.isOver && (
          <div class="drop-target">
            <Icon name="upload" />
            <p>{text("drop_here")}</p>
          </div>
        )}
      </main>
      {viewing !== undefined && (
        <Viewer key={viewing} page={page} path={viewing} />
      )}
      <Dialogs page={page} />
      <Questions page={page} />
      <Notices page={page} />
    </div>
  );
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

function useDrop(page: FilesPage) {
  const [isOver, setIsOver] = useState(false);
  // Each element below the pointer sends its own enter and leave.
  const depth = useRef(0);
  const handlers = {
    onDragEnter: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth.current += 1;
      setIsOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth.current = Math.max(0, depth.current - 1);
      if (depth.current === 0) setIsOver(false);
    },
    onDragOver: (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      depth.current = 0;
      setIsOver(false);
      filesOfDrop(event.dataTransfer)
        .then((chosen) => page.files.upload(chosen))
        .catch(() =>
          page.notify(text("upload_failed"), text("error_unreadable")),
        );
    },
  };
  return { isOver, handlers };
}

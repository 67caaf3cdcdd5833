// A file, over the whole page: pictures, PDF, audio and video as the browser
// shows them, everything else as text.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { fileAddress, viewAddress } from "../api/client";
import type { FilesPage } from "../files_page";
import { text } from "../language/text";
import { shownName } from "../paths/names";
import { baseOf, type RawPath, textOfRaw } from "../paths/raw_path";
import { FileIcon } from "../ui/file_icon";
import { Icon } from "../ui/icon";
import { TextView } from "./text_view";
import { viewKindOf } from "./view_kind";

export function Viewer({ page, path }: { page: FilesPage; path: RawPath }) {
  const element = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  const fileName = textOfRaw(baseOf(path));
  const name = shownName(fileName);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      isGone.current = true;
      dialog?.close();
      document.getElementById("table")?.focus();
    };
  }, []);
  const close = async () => {
    if (await page.mayLeave()) page.closeFile();
  };
  return (
    <dialog
      ref={element}
      class="viewer"
      aria-label={name}
      onCancel={(event) => {
        event.preventDefault();
        void close();
      }}
      // Browsers close the dialog on a second Escape, whatever onCancel does.
      onClose={() => {
        if (isGone.current) return;
        element.current?.showModal();
        void close();
      }}
    >
      <header class="viewer-head">
        <button
          type="button"
          class="icon-button"
          aria-label={text("close_file")}
          title={text("close_file")}
          onClick={() => void close()}
        >
          <Icon name="back" />
        </button>
        <FileIcon row={{ name: fileName, kind: "file" }} />
        <h2 title={shownName(textOfRaw(path))}>
          <bdi>{name}</bdi>
        </h2>
        <div id="viewer-tools" class="viewer-tools" />
        <a
          class="button"
          href={fileAddress(path)}
          download=""
          aria-label={text("download")}
        >
          <Icon name="download" />
          <span class="button-text">{text("download")}</span>
        </a>
      </header>
      <Content page={page} path={path} fileName={fileName} name={name} />
    </dialog>
  );
}

function Content(props: {
  page: FilesPage;
  path: RawPath;
  fileName: string;
  name: string;
}) {
  const { page, path, fileName, name } = props;
  const [hasFailed, setHasFailed] = useState(false);
  const source = viewAddress(path);
  const onError = () => setHasFailed(true);
  if (hasFailed) {
    return (
      <ViewMessage title={text("cannot_view")} advice={text("try_download")} />
    );
  }
  switch (viewKindOf(fileName)) {
    case "image":
      return (
        <div class="viewer-media">
          <img src={source} alt={name} onError={onError} />
        </div>
      );
    case "pdf":
      return <iframe class="viewer-frame" src={source} title={name} />;
    case "audio":
      return (
        <div class="viewer-media">
          <audio src={source} controls aria-label={name} onError={onError} />
        </div>
      );
    case "video":
      return (
        <div class="viewer-media">
          <video src={source} controls aria-label={name} onError={onError} />
        </div>
      );
    case "archive":
      return (
        <ViewMessage
          title={text("cannot_view")}
          advice={text("try_download")}
        />
      );
    default:
      return <TextView page={page} path={path} name={fileName} />;
  }
}

export function ViewMessage(props: {
  title: string;
  advice: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="viewer-message" role="status">
      <Icon name="file" />
      <h3>{props.title}</h3>
      <p>{props.advice}</p>
      {props.children}
    </div>
  );
}

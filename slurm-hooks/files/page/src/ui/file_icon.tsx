import type { Row } from "../folder/rows";
import { viewKindOf } from "../viewer/view_kind";
import { Icon, type IconName } from "./icon";

export function FileIcon({ row }: { row: Pick<Row, "name" | "kind"> }) {
  return <Icon name={iconOf(row)} />;
}

function iconOf({ name, kind }: Pick<Row, "name" | "kind">): IconName {
  if (kind === "folder") return "folder";
  if (kind === "other") return "alert";
  const view = viewKindOf(name);
  switch (view) {
    case "image":
    case "audio":
    case "video":
    case "archive":
    case "code":
      return view;
    case "pdf":
    case "text":
      return "text";
    case "unknown":
      return "file";
  }
}

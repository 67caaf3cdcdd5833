// The file changed on the cluster since it was opened.
import { text } from "../language/text";
import { Dialog } from "../ui/dialog";

export function ChangedDialog(props: {
  name: string;
  reload(): void;
  overwrite(): void;
  saveCopy(): void;
  close(): void;
}) {
  const { name, reload, overwrite, saveCopy, close } = props;
  return (
    <Dialog title={text("changed_title", { name })} close={close}>
      <p>{text("changed_detail")}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={reload}>
          {text("changed_reload")}
        </button>
        <button type="button" class="button button-bad" onClick={overwrite}>
          {text("changed_overwrite")}
        </button>
        <button
          type="button"
          class="button button-primary"
          autofocus
          onClick={saveCopy}
        >
          {text("changed_copy")}
        </button>
      </div>
    </Dialog>
  );
}

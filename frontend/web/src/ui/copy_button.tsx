import { useState } from "preact/hooks";
import { Icon } from "./icon";
import { messages } from "#messages/ui";

const kShownMs = 2000;

export function CopyButton(props: {
  text: string;
  label: string;
  quiet?: boolean; // looks like a link
}) {
  const [note, setNote] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.text);
      setNote(messages.copied);
    } catch {
      setNote(messages.copyingFailedSelectTheText);
    }
    setTimeout(() => setNote(""), kShownMs);
  };
  return (
    <button
      class={props.quiet ? "link-button" : "button button-small"}
      type="button"
      onClick={copy}
    >
      <Icon name={note === messages.copied ? "check" : "copy"} />
      <span aria-live="polite">{note || props.label}</span>
    </button>
  );
}

import { useState } from "preact/hooks";
import { Icon } from "./icon";

const kShownMs = 2000;

export function CopyButton(props: { text: string; label: string }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.text);
      setSaid("Copied");
    } catch {
      setSaid("Copying failed, select the text instead");
    }
    setTimeout(() => setSaid(""), kShownMs);
  };
  return (
    <button class="button button-small" type="button" onClick={copy}>
      <Icon name={said === "Copied" ? "check" : "copy"} />
      <span aria-live="polite">{said || props.label}</span>
    </button>
  );
}

// Listens to the keyboard shortcuts.
import { useEffect, useRef } from "preact/hooks";
import { useEvent } from "../lib/use_event";
import {
  type ShortcutAction,
  shortcutOf,
  singleKeysEnabled,
} from "./shortcuts";

// Time between the two keys of a shortcut.
const kSequenceMs = 1000;

export function useShortcuts(onAction: (action: ShortcutAction) => void): void {
  const previous = useRef({ key: "", at: 0 });
  const onKeyDown = useEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, timeStamp } = event;
    const typing = types(event);
    const recent = timeStamp - previous.current.at < kSequenceMs;
    const action = shortcutOf(
      { key, control: ctrlKey || metaKey, alternate: altKey, typing },
      recent ? previous.current.key : "",
      singleKeysEnabled(),
    );
    previous.current = { key: typing ? "" : key, at: timeStamp };
    if (!action || event.defaultPrevented) return;
    event.preventDefault();
    previous.current.key = "";
    onAction(action);
  });
  useEffect(() => {
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [onKeyDown]);
}

// The editor's content is in a shadow root, which activeElement does not show.
function types(event: Event): boolean {
  return (
    document.querySelector("dialog[open]") !== null ||
    event
      .composedPath()
      .some((part) => part instanceof Element && part.matches(kTextFields))
  );
}

const kTextFields =
  "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";

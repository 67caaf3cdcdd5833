// The list of keyboard shortcuts.
import { useState } from "preact/hooks";
import { Dialog } from "../ui/dialog";
import { enableSingleKeys, kShortcuts, singleKeysEnabled } from "./shortcuts";
import "../styles/commands.css";
import { messages } from "#messages/app";

export function ShortcutsDialog({ close }: { close(): void }) {
  const [enabled, setEnabled] = useState(singleKeysEnabled);
  return (
    <Dialog title={messages.keyboardShortcuts} close={close}>
      <dl class="shortcuts" data-testid="shortcut-list">
        {kShortcuts.map(([keys, text]) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          data-testid="single-keys"
          checked={enabled}
          onChange={(event) => {
            enableSingleKeys(event.currentTarget.checked);
            setEnabled(event.currentTarget.checked);
          }}
        />
        <span>{messages.singleKeysEnabled}</span>
      </label>
      <div class="dialog-actions">
        <button class="button" type="button" onClick={close}>
          {messages.close}
        </button>
      </div>
    </Dialog>
  );
}

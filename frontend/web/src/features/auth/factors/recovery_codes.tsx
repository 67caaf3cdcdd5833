// Shows new recovery codes. The codes cannot be shown again.
import { useMemo, useState } from "preact/hooks";
import { CopyButton } from "../../../ui/copy_button";
import { download } from "../../../ui/download";
import { Icon } from "../../../ui/icon";
import { recoveryCodesText } from "./recovery_codes_text";
import { messages } from "#messages/auth";

export function RecoveryCodes(props: {
  codes: readonly string[];
  username: string;
  onKept(): void;
}) {
  const { codes, username, onKept } = props;
  const [kept, setKept] = useState(false);
  const text = useMemo(
    () =>
      recoveryCodesText(codes, { username, host: location.host }, Date.now()),
    [codes, username],
  );
  const heading = text.split("\n").slice(0, 3);

  return (
    <div class="recovery">
      <p>
        {messages.useTheseCodesToLogIn}{" "}
        <strong>{messages.youCannotSeeThemAgain}</strong>
      </p>
      <div class="codes-sheet">
        {heading.map((line) => (
          <p key={line} class="print-only">
            {line}
          </p>
        ))}
        <ul class="codes" data-testid="recovery-codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <div class="button-row">
        <CopyButton text={text} label={messages.copy} />
        <button
          class="button button-small"
          type="button"
          data-testid="codes-download"
          onClick={() => download("carme-recovery-codes.txt", [text])}
        >
          <Icon name="download" /> {messages.download}
        </button>
        <button
          class="button button-small"
          type="button"
          onClick={() => print()}
        >
          <Icon name="print" /> {messages.print}
        </button>
      </div>
      <label class="check">
        <input
          type="checkbox"
          data-testid="codes-kept"
          checked={kept}
          onChange={(event) => setKept(event.currentTarget.checked)}
        />
        <span>{messages.iHaveSavedTheseCodes}</span>
      </label>
      <button
        class="button button-primary button-wide"
        type="button"
        data-testid="codes-continue"
        aria-disabled={!kept}
        onClick={() => kept && onKept()}
      >
        {messages.continue}
      </button>
    </div>
  );
}

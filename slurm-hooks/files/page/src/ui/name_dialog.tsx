// Asks for the name of a new or renamed entry, and says what is wrong with it.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { type ApiError, asApiError } from "../api/errors";
import { errorText } from "../language/error_text";
import { text } from "../language/text";
import { nameProblem } from "../paths/names";
import type { RawPath } from "../paths/raw_path";
import { Dialog } from "./dialog";

export function NameDialog(props: {
  title: string;
  button: string;
  initial: string;
  selectTo?: number;
  taken: ReadonlySet<RawPath>;
  act(name: string): Promise<void>;
  close(): void;
}) {
  const { title, button, initial, taken, act, close } = props;
  const [name, setName] = useState(initial);
  const [isSent, setIsSent] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    input.current?.focus();
    input.current?.setSelectionRange(0, props.selectTo ?? initial.length);
  }, []);
  const problem = nameProblem(name, taken);
  // An empty field is not a mistake before it is sent.
  const shownProblem =
    problem && (isSent || problem !== "empty")
      ? text(`name_${problem}`)
      : error && errorText(error);
  const submit = async (event: Event) => {
    event.preventDefault();
    setIsSent(true);
    if (problem || isBusy) return;
    if (name === initial) return close();
    setIsBusy(true);
    try {
      await act(name);
      close();
    } catch (thrown) {
      setError(asApiError(thrown));
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={(event) => void submit(event)}>
        <div class="field">
          <label for={`${id}-name`}>{text("name")}</label>
          <input
            ref={input}
            id={`${id}-name`}
            type="text"
            value={name}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-invalid={shownProblem !== undefined}
            aria-describedby={`${id}-problem`}
            onInput={(event) => {
              setName(event.currentTarget.value);
              setError(undefined);
            }}
          />
          <p id={`${id}-problem`} class="problem" role="alert">
            {shownProblem}
          </p>
        </div>
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            {text("cancel")}
          </button>
          <button
            type="submit"
            class="button button-primary"
            aria-disabled={isBusy || (isSent && problem !== undefined)}
          >
            {button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

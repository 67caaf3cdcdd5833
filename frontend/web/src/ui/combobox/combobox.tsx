// A text field that offers values. Any other text can be entered, too.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { idList } from "../form/field";
import { effectOf, kClosed, kOpened } from "./combobox_state";
import { messages } from "#messages/ui";

export interface ComboboxOption {
  readonly value: string;
  readonly label: string; // beside the value; may be empty
}

export function Combobox(props: {
  label: string;
  hint?: string;
  errorId?: string | undefined; // as of a Field
  testId: string; // of the field; the list has "-list" after it
  value: string;
  options: readonly ComboboxOption[];
  more: boolean; // there are more options than these
  warning: string; // about the value; empty: none
  onValue(value: string): void;
  onPick(option: ComboboxOption): void;
  onFocus(): void;
}) {
  const { label, hint, errorId, testId, value, options, more, warning } = props;
  const [state, setState] = useState(kClosed);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const open = state.open && options.length > 0;
  const active = Math.min(state.active, options.length - 1);
  const optionId = (index: number) => `${id}-${index}`;
  const hintId = hint && `${id}-hint`;
  const warningId = warning && `${id}-warning`;

  useEffect(() => {
    if (open)
      list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [open, active]);

  const pick = (index: number) => {
    const option = options[index];
    setState(kClosed);
    if (option) props.onPick(option);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const effect = effectOf(event.key, { open, active }, options.length);
    if (!effect) return;
    // Escape must not close the dialog around it, nor Enter send the form.
    event.preventDefault();
    event.stopPropagation();
    if ("pick" in effect) pick(effect.pick);
    else setState(effect.state);
  };

  return (
    <div class="field combobox">
      <label for={id}>{label}</label>
      <div class="combobox-box">
        <input
          id={id}
          role="combobox"
          aria-expanded={open}
          aria-controls={`${id}-list`}
          aria-activedescendant={
            open && active >= 0 ? optionId(active) : undefined
          }
          aria-autocomplete="list"
          aria-describedby={idList(hintId, warningId, errorId)}
          aria-invalid={errorId === undefined ? undefined : true}
          autocomplete="off"
          spellcheck={false}
          maxLength={4000}
          data-testid={testId}
          value={value}
          onInput={(event) => {
            setState(kOpened);
            props.onValue(event.currentTarget.value);
          }}
          onFocus={props.onFocus}
          onClick={() => setState(kOpened)}
          onBlur={() => setState(kClosed)}
          onKeyDown={onKeyDown}
        />
        <ul
          ref={list}
          id={`${id}-list`}
          class="combobox-list"
          role="listbox"
          aria-label={label}
          hidden={!open}
          data-testid={`${testId}-list`}
        >
          {open &&
            options.map((option, index) => (
              <li
                key={option.value}
                id={optionId(index)}
                role="option"
                aria-selected={index === active}
                data-value={option.value}
                // The field keeps the focus.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => pick(index)}
              >
                <span>{option.value}</span>
                {option.label && (
                  <span class="muted small">{option.label}</span>
                )}
              </li>
            ))}
        </ul>
      </div>
      {hint && (
        <span class="hint" id={hintId}>
          {hint}
        </span>
      )}
      {warning && (
        <span
          class="hint combobox-warning"
          id={warningId}
          data-testid={`${testId}-warning`}
        >
          {warning}
        </span>
      )}
      <span class="sr-only" role="status">
        {open &&
          (more
            ? messages.moreChoices({ count: options.length })
            : messages.choices({ count: options.length }))}
      </span>
    </div>
  );
}

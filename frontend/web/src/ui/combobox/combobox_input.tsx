// The text field and the list of a combobox (WAI-ARIA, combobox with list
// autocomplete), for a label and messages around them.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "../icon";
import { type ComboboxState, effectOf, kClosed } from "./combobox_state";
import { messages } from "#messages/ui";

export interface ComboboxOption {
  readonly value: string; // unique
  readonly label: string; // beside the value; may be empty
  readonly state?: { readonly label: string; readonly tone: string };
  readonly chosen?: boolean; // of several that can be chosen
}

// The attributes of the text field.
export interface ComboboxControl {
  readonly id: string;
  readonly "data-testid": string; // the list has "-list" after it
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
}

export function ComboboxInput(props: {
  control: ComboboxControl;
  label: string; // of the list
  value: string;
  options: readonly ComboboxOption[];
  more: boolean; // there are more options than these
  several?: boolean; // the list stays open after a choice
  note?: string; // below the options; empty: none
  placeholder?: string;
  maxLength?: number;
  onValue(value: string): void;
  onPick(option: ComboboxOption): void;
  onFocus(): void;
  onBlur?(): void;
}) {
  const { control, label, value, options, more, several, note } = props;
  const [opened, setOpened] = useState(false);
  const [activeValue, setActiveValue] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const open = opened && options.length > 0;
  const isShown = open || (opened && Boolean(note));
  const active = open
    ? options.findIndex((option) => option.value === activeValue)
    : -1;
  const listId = useId();
  const optionId = (index: number) => `${listId}-${index}`;

  useEffect(() => {
    if (active >= 0) {
      list.current?.children[active]?.scrollIntoView({ block: "nearest" });
    }
  }, [active]);

  const show = (state: ComboboxState) => {
    setOpened(state.open);
    setActiveValue(options[state.active]?.value);
  };
  const pick = (option: ComboboxOption | undefined) => {
    show(several ? { open: true, active } : kClosed);
    if (option) props.onPick(option);
    if (several) requestAnimationFrame(() => showEnd(input.current));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const effect = effectOf(
      event.key,
      { open: isShown, active },
      options.length,
    );
    if (!effect) return;
    // Escape must not close the dialog around it, nor Enter send the form.
    event.preventDefault();
    event.stopPropagation();
    if ("pick" in effect) pick(options[effect.pick]);
    else show(effect.state);
  };

  return (
    <div class="combobox-box">
      <input
        {...control}
        ref={input}
        role="combobox"
        aria-expanded={open}
        aria-controls={listId}
        aria-activedescendant={active >= 0 ? optionId(active) : undefined}
        aria-autocomplete="list"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        maxLength={props.maxLength ?? 4000}
        placeholder={props.placeholder}
        value={value}
        onInput={(event) => {
          show({ open: true, active: -1 });
          props.onValue(event.currentTarget.value);
        }}
        onFocus={props.onFocus}
        onClick={() => show({ open: true, active: -1 })}
        onBlur={() => {
          show(kClosed);
          props.onBlur?.();
        }}
        onKeyDown={onKeyDown}
      />
      <div
        class="combobox-popup"
        hidden={!isShown}
        // The field keeps the focus.
        onMouseDown={(event) => event.preventDefault()}
      >
        <ul
          ref={list}
          id={listId}
          class="combobox-list"
          role="listbox"
          aria-label={label}
          aria-multiselectable={several}
          hidden={!open}
          data-testid={`${control["data-testid"]}-list`}
        >
          {open &&
            options.map((option, index) => (
              <li
                key={option.value}
                id={optionId(index)}
                role="option"
                aria-selected={
                  several ? option.chosen === true : index === active
                }
                data-active={index === active}
                data-value={option.value}
                onClick={() => pick(option)}
              >
                <OptionParts option={option} several={several === true} />
              </li>
            ))}
        </ul>
        {opened && note && (
          <p
            class="combobox-note"
            data-testid={`${control["data-testid"]}-note`}
          >
            {note}
          </p>
        )}
      </div>
      <span class="sr-only" role="status">
        {open &&
          (more
            ? messages.moreChoices({ count: options.length })
            : messages.choices({ count: options.length }))}{" "}
        {opened && note}
      </span>
    </div>
  );
}

function OptionParts(props: { option: ComboboxOption; several: boolean }) {
  const { value, label, state, chosen } = props.option;
  return (
    <>
      {props.several && (
        <span class="combobox-mark" aria-hidden="true">
          {chosen && <Icon name="check" />}
        </span>
      )}
      <span class="combobox-value">{value}</span>
      {label && <span class="muted small">{label}</span>}
      {state && (
        <span class="state" data-tone={state.tone}>
          {state.label}
        </span>
      )}
    </>
  );
}

// After a choice the new end of the text, which is longer than the field.
function showEnd(input: HTMLInputElement | null): void {
  if (input) input.scrollLeft = input.scrollWidth;
}

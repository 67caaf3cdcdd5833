// Tabs over one panel, following the ARIA pattern: one tab stop, arrow keys
// move between tabs.
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";

export interface Tab {
  readonly id: string;
  readonly label: string;
}

export function Tabs(props: {
  label: string;
  tabs: readonly Tab[];
  chosen: string; // ID of a tab
  onChoose(id: string): void;
  children: ComponentChildren;
}) {
  const { label, tabs, chosen, onChoose } = props;
  const list = useRef<HTMLDivElement>(null);
  const panel = useId();
  const at = tabs.findIndex(({ id }) => id === chosen);

  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextTab(event.key, at, tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    onChoose(tabs[next]!.id);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };

  return (
    <>
      <div
        ref={list}
        class="tabs"
        role="tablist"
        aria-label={label}
        onKeyDown={onKeyDown}
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`${panel}-${tab.id}`}
            type="button"
            role="tab"
            data-testid={`tab-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls={panel}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id={panel} role="tabpanel" aria-labelledby={`${panel}-${chosen}`}>
        {props.children}
      </div>
    </>
  );
}

export function nextTab(
  key: string,
  at: number,
  count: number,
): number | undefined {
  switch (key) {
    case "ArrowRight":
      return (at + 1) % count;
    case "ArrowLeft":
      return (at - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}

// A menu at a button or at a point, with the keys of a menu.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon";

export interface MenuItem {
  label: string;
  icon: IconName;
  keys?: string;
  isDangerous?: boolean;
  act(): void;
}

export interface MenuPlace {
  x: number;
  y: number;
  // The right edge of a button, at which the menu ends if it has no room.
  right?: number;
}

export function Menu(props: {
  label: string;
  place: MenuPlace;
  items: readonly MenuItem[];
  close(): void;
}) {
  const { label, place, items, close } = props;
  const element = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ left: place.x, top: place.y });
  useLayoutEffect(() => {
    const menu = element.current!;
    const { offsetWidth: width, offsetHeight: height } = menu;
    const fits = place.x + width <= innerWidth - 8;
    const left = fits ? place.x : (place.right ?? place.x) - width;
    setAt({
      left: Math.max(8, Math.min(left, innerWidth - width - 8)),
      top: Math.max(8, Math.min(place.y, innerHeight - height - 8)),
    });
  }, [place]);
  useEffect(() => {
    const before = document.activeElement;
    buttonsOf(element.current!)[0]?.focus();
    const outside = (event: Event) => {
      if (!element.current?.contains(event.target as Node)) close();
    };
    document.addEventListener("pointerdown", outside, true);
    addEventListener("resize", close);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      removeEventListener("resize", close);
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = buttonsOf(element.current!);
    const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const steps: Record<string, number> = {
      ArrowDown: now + 1,
      ArrowUp: now - 1,
      Home: 0,
      End: -1,
    };
    const next = steps[event.key];
    if (next !== undefined) buttons.at(next % buttons.length)?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else if (event.key !== "Enter" && event.key !== " ") return;
    else {
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={element}
      class="menu"
      role="menu"
      aria-label={label}
      style={{ left: `${at.left}px`, top: `${at.top}px` }}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => event.preventDefault()}
    >
      {items.map((item) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={item.isDangerous ? "menu-item menu-item-bad" : "menu-item"}
          onClick={() => {
            close();
            item.act();
          }}
        >
          <Icon name={item.icon} />
          <span>{item.label}</span>
          {item.keys && <kbd aria-hidden="true">{item.keys}</kbd>}
        </button>
      ))}
    </div>
  );
}

function buttonsOf(menu: HTMLElement): HTMLButtonElement[] {
  return [...menu.querySelectorAll("button")];
}

export function MenuButton(props: {
  label: string;
  icon: IconName;
  items: readonly MenuItem[];
  class?: string;
}) {
  const [place, setPlace] = useState<MenuPlace>();
  return (
    <>
      <button
        type="button"
        class={props.class ?? "button"}
        aria-haspopup="menu"
        aria-expanded={place !== undefined}
        aria-label={props.label}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          setPlace({ x: box.left, y: box.bottom + 4, right: box.right });
        }}
      >
        <Icon name={props.icon} />
        <span class="button-text">{props.label}</span>
        <Icon name="chevron" />
      </button>
      {place && (
        <Menu
          label={props.label}
          place={place}
          items={props.items}
          close={() => setPlace(undefined)}
        />
      )}
    </>
  );
}

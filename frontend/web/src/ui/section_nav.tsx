// Links to the pages of an area, with the current one marked.
import { useEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon";

export interface SectionLink {
  readonly href: string;
  readonly label: string;
  readonly icon: IconName;
  readonly current: boolean;
  readonly testId: string;
}

export function SectionNav(props: {
  label: string;
  links: readonly SectionLink[];
}) {
  const nav = useRef<HTMLElement>(null);
  const current = props.links.find((link) => link.current)?.href;
  // On a narrow screen the links scroll sideways.
  useEffect(() => {
    const strip = nav.current;
    const link = strip?.querySelector<HTMLElement>("[aria-current]");
    if (strip && link) strip.scrollLeft = link.offsetLeft - strip.offsetLeft;
  }, [current]);
  return (
    <nav ref={nav} class="section-nav" aria-label={props.label}>
      {props.links.map(({ href, label, icon, current, testId }) => (
        <a
          key={href}
          href={href}
          data-testid={testId}
          aria-current={current ? "page" : undefined}
        >
          <Icon name={icon} /> {label}
        </a>
      ))}
    </nav>
  );
}

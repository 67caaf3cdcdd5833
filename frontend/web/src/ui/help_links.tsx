// The site's documentation, support and own links, as far as they are configured.
import { branding } from "../lib/branding";
import { helpLinks } from "../lib/help_links";
import { Icon } from "./icon";
import { messages } from "#messages/ui";

export function HelpLinkItems(props: { class: string; onChoose?(): void }) {
  const { documentation, support } = helpLinks;
  const { onChoose } = props;
  return (
    <>
      {documentation && (
        <a
          class={props.class}
          href={documentation}
          target="_blank"
          rel="noopener noreferrer"
          data-testid="documentation"
          onClick={onChoose}
        >
          <Icon name="open" /> {messages.documentation}{" "}
          <span class="sr-only">{messages.opensANewTab}</span>
        </a>
      )}
      {support && (
        <a
          class={props.class}
          href={`mailto:${support}`}
          title={support}
          data-testid="support"
          onClick={onChoose}
        >
          <Icon name="mail" /> {messages.contactSupport}
        </a>
      )}
      {branding.links.map(({ label, url }) => (
        <a
          key={url}
          class={props.class}
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          data-testid="site-link"
          onClick={onChoose}
        >
          <Icon name="open" /> {label}{" "}
          <span class="sr-only">{messages.opensANewTab}</span>
        </a>
      ))}
    </>
  );
}

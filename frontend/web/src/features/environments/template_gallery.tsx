// The site's templates: each begins a new environment.
import type { EnvironmentTemplate } from "#proto/environment_gallery";
import { shownLanguage } from "../../lib/language/language";
import { appIcon } from "../../ui/app_icon";
import { Icon } from "../../ui/icon";
import { Panel } from "../../ui/panel";
import { packageNames, problemLabel } from "./packages";
import { messages } from "#messages/environments";

export function TemplateGallery(props: {
  templates: readonly EnvironmentTemplate[];
  onUse(template: EnvironmentTemplate): void;
}) {
  const { templates, onUse } = props;
  if (templates.length === 0) return null;
  return (
    <Panel
      title={messages.templates}
      about={messages.aTemplateFillsInANew}
      testId="environment-templates"
    >
      <ul class="template-cards">
        {templates.map((template) => (
          <li key={template.id} data-testid={`template-${template.id}`}>
            <Card template={template} onUse={() => onUse(template)} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Card(props: { template: EnvironmentTemplate; onUse(): void }) {
  const { template, onUse } = props;
  const { name, description, translations, icon, image, problem } = template;
  const packages = packageNames(template);
  const why = problemLabel(problem);
  return (
    <>
      <h3>
        <Icon name={appIcon(icon)} /> {name}
      </h3>
      <p>{translations[shownLanguage().code] ?? description}</p>
      <p class="muted small">
        {packages
          ? messages.imageWithPackages({ image, packages })
          : messages.imageOnly({ image })}
      </p>
      {why ? (
        <p class="muted small" data-testid="template-problem">
          {why}
        </p>
      ) : (
        <button
          class="button"
          type="button"
          aria-label={messages.useTemplate({ name })}
          data-testid="template-use"
          onClick={onUse}
        >
          {messages.useThisTemplate}
        </button>
      )}
    </>
  );
}

// Selects who may use a site image: roles, groups and projects. Without a
// selection all users may.
import { Role } from "#proto/auth";
import { ChoiceKind } from "#proto/choice";
import { ChoiceField } from "../choices/choice_field";
import { selectable } from "../projects/project_labels";
import { useProjects } from "../projects/projects_context";
import { roleLabel } from "../../session/roles";
import type { ImageDraft } from "./image_draft";
import { CheckField } from "../../ui/form/field";
import { messages } from "#messages/images";

const kRoles = [Role.USER, Role.MANAGER, Role.SUPPORT, Role.ADMIN];

export function AudienceChoice(props: {
  draft: ImageDraft;
  onDraft(draft: ImageDraft): void;
}) {
  const { draft, onDraft } = props;
  const { groups, roles, projects } = draft;
  const known = useProjects();
  // Deleted projects are listed so that they can be deselected.
  const gone = projects.filter((id) => known.every((one) => one.id !== id));
  const choices = [
    ...selectable(known, projects).map(({ id, settings }) => ({
      id,
      name: settings?.name ?? id,
    })),
    ...gone.map((id) => ({ id, name: id })),
  ];
  return (
    <fieldset class="audience" data-testid="image-audience">
      <legend>{messages.whoMayUseIt}</legend>
      <p class="hint">{messages.allUsersUnlessYouSelect}</p>
      <ChoiceField
        kind={ChoiceKind.GROUP}
        list
        label={messages.groups}
        hint={messages.ldapGroupNamesSeparatedBy}
        testId="image-groups"
        value={groups}
        onValue={(value) => onDraft({ ...draft, groups: value })}
      />
      <Checks
        title={messages.roles}
        name="role"
        choices={kRoles.map((id) => ({ id, name: roleLabel(id) }))}
        chosen={roles}
        onChosen={(roles) => onDraft({ ...draft, roles })}
      />
      {choices.length > 0 && (
        <Checks
          title={messages.projects}
          name="project"
          choices={choices}
          chosen={projects}
          onChosen={(projects) => onDraft({ ...draft, projects })}
        />
      )}
    </fieldset>
  );
}

function Checks<Id extends string | number>(props: {
  title: string;
  name: string;
  choices: readonly { readonly id: Id; readonly name: string }[];
  chosen: readonly Id[];
  onChosen(chosen: readonly Id[]): void;
}) {
  const { title, name, choices, chosen, onChosen } = props;
  const toggle = (id: Id) => {
    const without = chosen.filter((each) => each !== id);
    onChosen(without.length < chosen.length ? without : [...chosen, id]);
  };
  return (
    <div class="stacked" role="group" aria-label={title}>
      <span>{title}</span>
      <div class="checks">
        {choices.map(({ id, name: text }) => (
          <CheckField
            key={id}
            testId={`image-${name}-${id}`}
            checked={chosen.includes(id)}
            onChecked={() => toggle(id)}
          >
            {text}
          </CheckField>
        ))}
      </div>
    </div>
  );
}

// One environment: form and text, problems, resolved configuration and actions.
import { useMemo, useRef, useState } from "preact/hooks";
import { environmentClient } from "../../api/environment";
import { environmentGalleryClient } from "../../api/environment_editor";
import { useEvent } from "../../lib/use_event";
import { useMutation } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { FailureNote } from "../../ui/failure_note";
import { BuildNotice } from "./build_notice";
import {
  type Choice,
  type Draft,
  draftKey,
  kNew,
  withDraft,
  withoutDraft,
  withSaved,
} from "./choice";
import { CodeEditor, type EditorHandle } from "./code_editor";
import { EditorActions } from "./editor_actions";
import { EditorViews, type View } from "./editor_views";
import { FormView } from "./form/form_view";
import { useForm } from "./form/use_form";
import type { OpenedProps, Original } from "./opened";
import { PackageForm } from "./package_form";
import {
  buildRequest,
  canAddPackages,
  hasPackages,
  noPackages,
  parsePackages,
} from "./packages";
import { marksOf } from "./problems";
import { RenderView } from "./render_view";
import { imageOf, inheritingText, withCondaPath, withImage } from "./template";
import { useRender } from "./use_render";
import { messages } from "#messages/environments";

export function EnvironmentEditor(
  props: OpenedProps & {
    original: Original;
    onSaved(original: Original): void;
    reload(): Promise<void>;
  },
) {
  const { chosen, original, drafts, setDrafts, onSaved, onChanged } = props;
  const { gallery } = props;
  const isNew = chosen.kind === "new";
  const readOnly = chosen.kind === "site";
  const draft = drafts[draftKey(chosen)];
  const text = draft?.text ?? original.text;
  const name = isNew ? (draft?.name ?? "") : chosen.name;
  const packages = draft?.packages;
  const needsImage = hasPackages(packages);
  const rendering = useRender(text, readOnly ? "" : name.trim());
  const mutation = useMutation();
  const [deleting, setDeleting] = useState(false);
  const [version, setVersion] = useState(0);
  const [view, setView] = useState<View>("form");
  const editor = useRef<EditorHandle>();

  // Also after a call, during which the draft may have changed.
  const newestText = useEvent(() => text);
  const setDraft = useEvent((next: Partial<Draft>) => {
    const whole = { text, name, packages, ...next };
    const same =
      whole.text === original.text &&
      (!isNew || !whole.name) &&
      !whole.packages;
    setDrafts((old) =>
      same ? withoutDraft(old, chosen) : withDraft(old, chosen, whole),
    );
  });
  const form = useForm(text, readOnly, (next) => {
    setDraft({ text: next });
    setVersion((old) => old + 1);
  });
  const changed =
    isNew || text !== original.text || needsImage || form.isPending;
  const goToLine = (line: number) => {
    setView("text");
    // The editor must be visible before it scrolls.
    requestAnimationFrame(() => editor.current?.goToLine(line));
  };
  // Submits the job that builds the image, and returns the text that names it.
  // If the environment is not saved then, it still names the image.
  const buildImage = async (text: string) => {
    if (!packages || !needsImage) return text;
    const { image } = await environmentGalleryClient.buildEnvironmentImage(
      buildRequest(name.trim(), packages),
    );
    let next = withImage(newestText(), image?.id ?? "");
    if (parsePackages(packages.conda).length > 0) next = withCondaPath(next);
    setDraft({ text: next, packages: undefined });
    setVersion((old) => old + 1);
    return next;
  };
  const save = () =>
    mutation.run(async () => {
      if (readOnly || !changed || name.trim() === "") return;
      const flushed = await form.flush();
      if (flushed === undefined) return; // the form shows why
      const text = await buildImage(flushed);
      const { environment } = await environmentClient.saveEnvironment({
        name: name.trim(),
        text,
        revision: original.revision,
      });
      const saved: Choice = { kind: "own", name: environment?.name ?? name };
      onSaved({ text, revision: environment?.revision ?? 0n });
      setDrafts((old) => withSaved(old, chosen, saved, text));
      onChanged(
        needsImage
          ? messages.savedImageIsBuilt({
              name: saved.name,
              image: imageOf(text),
            })
          : messages.saved({ name: saved.name }),
        saved,
      );
    });
  const remove = () =>
    mutation.run(async () => {
      await environmentClient.deleteEnvironment({ name });
      setDeleting(false);
      setDrafts((old) => withoutDraft(old, chosen));
      onChanged(messages.deleted({ name }), undefined);
    });
  const revert = async () => {
    setDrafts((old) => withoutDraft(old, chosen));
    // Before the wait: an edit must not be written into the original text.
    form.reset();
    setVersion((old) => old + 1);
    mutation.clearFailure();
    await props.reload();
    setVersion((old) => old + 1);
  };
  const inherit = () => {
    const next = { text: inheritingText(name), name: "" };
    setDrafts((old) => withDraft(old, kNew, next));
    onChanged(messages.basedOn({ name }), kNew);
  };

  // The marks belong to the rendered text; typing does not recompute them.
  const lineCount = useRef(0);
  lineCount.current = text.split("\n").length;
  const marks = useMemo(() => {
    const { problems = [], warnings = [] } = rendering?.answer ?? {};
    return marksOf(problems, warnings, lineCount.current);
  }, [rendering]);

  return (
    <section
      class="panel environment"
      aria-label={name || messages.newEnvironment}
    >
      {isNew ? (
        <label class="environment-name">
          <span>{messages.name}</span>
          <input
            value={name}
            maxLength={63}
            autocomplete="off"
            spellcheck={false}
            data-testid="environment-name"
            onInput={(event) => setDraft({ name: event.currentTarget.value })}
          />
        </label>
      ) : (
        <h2>{name}</h2>
      )}
      <EditorViews
        chosen={view}
        onChoose={setView}
        form={
          <FormView
            form={form}
            images={props.images}
            isDisabled={readOnly || mutation.busy}
            onLine={goToLine}
          />
        }
        text={
          <CodeEditor
            label={
              readOnly
                ? messages.textOfSite({ name })
                : name
                  ? messages.textOf({ name })
                  : messages.textOfTheNewEnvironment
            }
            readOnly={readOnly}
            text={text}
            version={version}
            marks={marks}
            handle={editor}
            onText={(next) => setDraft({ text: next })}
            onSave={() => void save()}
          />
        }
      />
      {!readOnly && (packages || canAddPackages(gallery)) && (
        <PackageForm
          gallery={gallery}
          draft={packages ?? noPackages(gallery, imageOf(text))}
          onDraft={(next) => setDraft({ packages: next })}
        />
      )}
      {imageOf(text).includes("/") && (
        <BuildNotice key={imageOf(text)} id={imageOf(text)} />
      )}
      {mutation.failure && !deleting && (
        <FailureNote failure={mutation.failure} testId="environment-failure" />
      )}
      <EditorActions
        {...{ chosen, changed, needsImage, busy: mutation.busy }}
        canSave={name.trim() !== ""}
        isRefused={form.isRefused}
        onSave={() => void save()}
        onRevert={() => void revert()}
        onDelete={() => setDeleting(true)}
        onInherit={inherit}
      />
      <RenderView
        rendering={rendering}
        current={rendering?.text === text}
        onLine={goToLine}
      />
      {deleting && (
        <ConfirmDialog
          title={messages.deleteTitle({ name })}
          mutation={mutation}
          confirm={messages.deleteLabel}
          onConfirm={() => void remove()}
          close={() => setDeleting(false)}
        >
          <p>{messages.runningJobsAreNotAffected}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

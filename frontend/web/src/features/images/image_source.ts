// The sources of a user's own image.
import { ImageSource } from "#proto/image";
import { messages } from "#messages/images";

export interface SourceChoice {
  readonly source: ImageSource;
  readonly label: string;
  readonly example: string;
  readonly hint: string;
}

export const sourceChoices: readonly SourceChoice[] = [
  {
    source: ImageSource.SIF,
    label: messages.sifFile,
    example: messages.exampleSif,
    hint: messages.sifFileHint,
  },
  {
    source: ImageSource.OCI_ARCHIVE,
    label: messages.ociArchive,
    example: messages.exampleTar,
    hint: messages.ociArchiveHint,
  },
  {
    source: ImageSource.DOCKER_ARCHIVE,
    label: messages.dockerArchive,
    example: messages.exampleTar,
    hint: messages.dockerArchiveHint,
  },
  {
    source: ImageSource.OCI_DIRECTORY,
    label: messages.ociDirectory,
    example: messages.exampleFolder,
    hint: messages.ociDirectoryHint,
  },
  {
    source: ImageSource.DEFINITION,
    label: messages.apptainerDefinition,
    example: messages.exampleDefinition,
    hint: messages.apptainerDefinitionHint,
  },
];

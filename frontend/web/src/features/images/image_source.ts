// What an image of one's own may be made from.
import { ImageSource } from "#proto/image";

export interface SourceChoice {
  readonly source: ImageSource;
  readonly label: string;
  readonly example: string;
  readonly hint: string;
}

const kBuilt = "It becomes a SIF in ~/carme-images.";

export const sourceChoices: readonly SourceChoice[] = [
  {
    source: ImageSource.SIF,
    label: "A SIF",
    example: "~/images/torch.sif",
    hint: "Your own file; it stays where it is. Once it changes, no job starts in it.",
  },
  {
    source: ImageSource.OCI_ARCHIVE,
    label: "An OCI archive",
    example: "~/images/torch.tar",
    hint: `A tar of an OCI layout: podman save --format oci-archive. ${kBuilt}`,
  },
  {
    source: ImageSource.DOCKER_ARCHIVE,
    label: "A Docker archive",
    example: "~/images/torch.tar",
    hint: `What docker save or podman save writes. ${kBuilt}`,
  },
  {
    source: ImageSource.OCI_DIRECTORY,
    label: "An OCI directory",
    example: "~/images/torch",
    hint: `An OCI layout: skopeo copy … oci:torch. ${kBuilt}`,
  },
  {
    source: ImageSource.DEFINITION,
    label: "A definition",
    example: "~/images/torch.def",
    hint: `A definition file of Apptainer, built as you. ${kBuilt}`,
  },
];

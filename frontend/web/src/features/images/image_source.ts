// The sources of a user's own image.
import { ImageSource } from "#proto/image";

export interface SourceChoice {
  readonly source: ImageSource;
  readonly label: string;
  readonly example: string;
  readonly hint: string;
}

const kBuilt = "The result is a SIF file in ~/carme-images.";

export const sourceChoices: readonly SourceChoice[] = [
  {
    source: ImageSource.SIF,
    label: "SIF file",
    example: "~/images/torch.sif",
    hint: "Used in place. If the file changes, jobs can no longer start from it.",
  },
  {
    source: ImageSource.OCI_ARCHIVE,
    label: "OCI archive",
    example: "~/images/torch.tar",
    hint: `A tar file of an OCI layout: podman save --format oci-archive. ${kBuilt}`,
  },
  {
    source: ImageSource.DOCKER_ARCHIVE,
    label: "Docker archive",
    example: "~/images/torch.tar",
    hint: `The output of docker save or podman save. ${kBuilt}`,
  },
  {
    source: ImageSource.OCI_DIRECTORY,
    label: "OCI directory",
    example: "~/images/torch",
    hint: `An OCI layout: skopeo copy … oci:torch. ${kBuilt}`,
  },
  {
    source: ImageSource.DEFINITION,
    label: "Apptainer definition",
    example: "~/images/torch.def",
    hint: `A definition file for apptainer build. ${kBuilt}`,
  },
];

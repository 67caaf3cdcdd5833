// Clients of the services that every page needs, generated from the contract.
import { createClient } from "@connectrpc/connect";
import { AuthService } from "#proto/auth";
import { ClusterService } from "#proto/cluster";
import { JobService } from "#proto/jobs";
import { StorageService } from "#proto/storage";
import { transport } from "./transport";

export const authClient = createClient(AuthService, transport);
export const clusterClient = createClient(ClusterService, transport);
export const jobClient = createClient(JobService, transport);
export const storageClient = createClient(StorageService, transport);

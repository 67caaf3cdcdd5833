// Clients of the account pages, in the chunk of these pages.
import { createClient } from "@connectrpc/connect";
import { AccountService } from "#proto/account";
import { FactorService } from "#proto/factors";
import { transport } from "./transport";

export const accountClient = createClient(AccountService, transport);
export const factorClient = createClient(FactorService, transport);

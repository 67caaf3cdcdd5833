// The clients of the account's pages, which are loaded with them.
import { createClient } from "@connectrpc/connect";
import { AccountService } from "#proto/account";
import { FactorService } from "#proto/factors";
import { transport } from "./transport";

export const accountClient = createClient(AccountService, transport);
export const factorClient = createClient(FactorService, transport);

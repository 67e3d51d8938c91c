/** Accounts of nobody, for parts that ask models by themselves. */
import { Account } from "../../src/account.ts"

export const anAccount = (): Account =>
  new Account({ workspaceId: "ws_test", keyId: "", userId: "", maker: "", endUser: "", contextId: "" })

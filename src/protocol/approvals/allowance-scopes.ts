/** For readers of the wire: which "always" an agent's question can be given. Pure. */
export { type AllowanceScope, allowanceMinutes, descriptiveKeys, folderOf, scopesFor } from '../../domain/approvals/allowance.ts'
export { isKeptByAgent } from '../../domain/approvals/permission.ts'

/** Scopes of "allow always" for clients. Pure. */
export { type AllowanceScope, allowanceMinutes, folderOf, isIncidental, scopesFor } from '../../domain/approvals/allowance.ts'
export { isKeptByAgent } from '../../domain/approvals/permission.ts'

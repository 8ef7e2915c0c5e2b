/** For readers of the wire: which "always" an agent's question can be given. Pure. */
export { type AllowanceScope, allowanceMinutes, folderOf, scopesFor, spokenWords } from '../domain/approval/allowance.ts'
export { isKeptByAgent } from '../domain/approval/permission.ts'

/** Scopes of "allow always" for clients. Pure. */
export {
  type AllowanceScope,
  allowanceMinutes,
  folderOf,
  isIncidental,
  scopesFor,
} from '../../domain/approvals/allowance.ts'
export { isChoice, isKeptByAgent } from '../../domain/approvals/permission.ts'

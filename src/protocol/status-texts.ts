/** Notices of coordinators, on the other side of the wire. */
export {
  about,
  cutDetail,
  type Detail,
  DetailError,
  detailFields,
  detailOf,
  noticesOf,
  textOf,
  withOutput,
} from '../domain/notices.ts'
export { statusNotice } from '../domain/status-texts.ts'
